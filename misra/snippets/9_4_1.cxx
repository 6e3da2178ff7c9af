int f(int v) {
    int w = 0;
    if (v > 2) {
        w = 2;
    } else if (v > 1) {  // violates
        w = 1;
    }
    if (v > 3) {
        w += 1;
    } else if (v > 2) {
        w += 2;
    } else {
        w += 3;
    }
    return w;
}
