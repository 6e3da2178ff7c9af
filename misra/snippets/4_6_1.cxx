int f(int v) {
    return v++ + v;  // violates
}
int g(int v) {
    ++v;
    return v + v;
}
