#if 1  // violates
int f();
