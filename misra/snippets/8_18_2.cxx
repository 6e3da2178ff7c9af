int f(int v) {
    int w = 0;
    int x = 1;
    x = w = v;  // violates
    w = x;
    return w;
}
