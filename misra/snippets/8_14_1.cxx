bool change(int& v);
bool f(int v, int w) {
    return (v > 1) && change(w);  // violates
}
bool g(int v, int w) {
    return (v > 1) && (w > 1);
}
