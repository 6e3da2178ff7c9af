#define PIANOLA_HAS defined(PIANOLA_OTHER)
#if PIANOLA_HAS  // violates
#endif
#if defined(PIANOLA_OTHER)
#endif
int f();
