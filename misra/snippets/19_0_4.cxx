#define PIANOLA_OWN 1
#undef PIANOLA_OWN
#undef PIANOLA_FOREIGN  // violates
