int f(int v, int w) {
    return v + w * 2;  // violates
}
int g(int v, int w) {
    return v + (w * 2);
}
