int f(int v) {
    int w = v;
    w = 2 * v;  // violates
    w = 3 * v;
    return w;
}
