int f(const int* v);
int g() {
    const int v[2] = {1, 2};
    return f(v);  // violates
}
int h() {
    const int v[2] = {1, 2};
    return f(&v[0]);
}
