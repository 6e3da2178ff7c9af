#if PIANOLA_NOWHERE  // violates
#endif
#define PIANOLA_HERE 1
#if PIANOLA_HERE
#endif
int f();
