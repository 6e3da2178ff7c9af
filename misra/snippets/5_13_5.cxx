auto f() {
    return 1l;  // violates
}
auto g() {
    return 1LL;
}
