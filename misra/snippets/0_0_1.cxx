int f(int v) {
    if (v > 1) {
        return v;
    }
    return 2 * v;
    ++v;  // violates
}
int g(int v) {
    return v;
}
