int f(int v) {
    if (v) {  // violates
        return 2;
    }
    return (v != 1) ? 1 : 0;
}
