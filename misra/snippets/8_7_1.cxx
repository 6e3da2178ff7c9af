int f(const int* v) {
    return *(v + 1);  // violates
}
int g(const int* v) {
    return *v;
}
