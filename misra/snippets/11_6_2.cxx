int f(int v) {
    int w;
    if (v > 1) {
        w = 1;
    }
    return w;  // violates
}
int g(int v) {
    int w = 0;
    if (v > 1) {
        w = 1;
    }
    return w;
}
