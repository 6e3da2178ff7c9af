int f(int v) {
    int w = 1, x = 2;  // violates
    int y = v;
    w += y;
    x += w;
    return x;
}
