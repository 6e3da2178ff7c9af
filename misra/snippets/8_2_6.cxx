const int* f(const void* v) {
    return static_cast<const int*>(v);  // violates
}
const void* g(const int* v) {
    return v;
}
