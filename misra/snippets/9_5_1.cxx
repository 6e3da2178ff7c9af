int f(int v) {
    int w = 0;
    for (int i = 0; i < v; ++i) {
        w += i;
    }
    for (int i = v; i != 0; --i) {  // violates
        w += i;
    }
    for (int i = 0; i < v; ++i) {  // violates
        i += w;
    }
    return w;
}
