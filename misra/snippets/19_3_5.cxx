#define PIANOLA_SAME(v) v
int f() {
    return PIANOLA_SAME(1
#if 1  // violates
        + 1
#endif  // violates
    );
}
