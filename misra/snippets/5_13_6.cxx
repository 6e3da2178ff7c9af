auto f() {
    return 1L;  // violates
}
auto g() {
    return 1LL;
}
