#if 0
#els  // violates
#endif
int f();
