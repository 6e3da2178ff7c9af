int f(int v) {
    if (v > 1)  // violates
        return 2;
    while (v > 0) {
        --v;
    }
    return v;
}
