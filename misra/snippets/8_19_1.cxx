int f(int v) {
    return (++v, v);  // violates
}
int g(int v, int w) {
    return f(v) + f(w);
}
