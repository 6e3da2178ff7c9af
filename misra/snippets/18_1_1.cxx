void f(int* v) {
    throw v;  // violates
}
