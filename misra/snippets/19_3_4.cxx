#define PIANOLA_TWICE(v) (v * 2)  // violates
#define PIANOLA_THRICE(v) ((v) * 3)
int f(int v);
