void f() {
    throw;  // violates
}
