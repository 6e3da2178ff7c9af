#define PIANOLA_JOIN(a, b) a##b  // violates
#define PIANOLA_SUM(a, b) ((a) + (b))
