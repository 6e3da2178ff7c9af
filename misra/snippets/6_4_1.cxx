int f(int v) {
    if (v > 1) {
        const int v = 2;  // violates
        return v;
    }
    const int w = 2;
    return w;
}
