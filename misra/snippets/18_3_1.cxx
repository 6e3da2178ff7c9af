void f() {
    throw 1;  // violates
}
