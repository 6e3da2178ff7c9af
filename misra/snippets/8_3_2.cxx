int f(int v) {
    return +v;  // violates
}
int g(int v) {
    return v;
}
