void f(int* v) {
    delete v;  // violates
}
int g() {
    return 1;
}
