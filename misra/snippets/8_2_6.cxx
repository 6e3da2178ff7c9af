const int* f(const void* v) {
    return static_cast<const int*>(v);  // violates
}
const void* g(const int* v) {
    return v;
}
const int* h(long v) {
    return reinterpret_cast<const int*>(v);  // violates
}
