// Compiled twice, once with OTHER: two declarations of one object, of different types.
#ifdef OTHER
extern short g_shared;
int shared_here() {
    return g_shared;
}
#else
int g_shared[64] = {1, 2, 3, 4};
#endif
