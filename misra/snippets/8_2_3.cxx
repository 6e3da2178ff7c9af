int* f(const int* v) {
    return const_cast<int*>(v);  // violates
}
const int* g(int* v) {
    return v;
}
