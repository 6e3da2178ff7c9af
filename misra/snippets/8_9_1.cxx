bool f(const int* v, const int* w) {
    return v < w;  // violates
}
bool g(const int* v, const int* w) {
    return v == w;
}
