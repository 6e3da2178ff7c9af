int* f() {
    int v = 1;
    return &v;  // violates
}
int g() {
    int v = 1;
    return v;
}
