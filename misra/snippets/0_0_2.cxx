bool f(unsigned v) {
    return v == v;  // violates
}
bool g(unsigned v, unsigned w) {
    return v == w;
}
