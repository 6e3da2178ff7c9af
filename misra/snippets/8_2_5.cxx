const char* f(const int* v) {
    return reinterpret_cast<const char*>(v);  // violates
}
long g(int v) {
    return static_cast<long>(v);
}
