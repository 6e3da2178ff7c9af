int f(int v) {
again:
    --v;
    if (v > 1) {
        goto again;  // violates
    }
    return v;
}
int g(int v) {
    return v;
}
