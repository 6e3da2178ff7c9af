int f(bool v) {
    return v + 1;  // violates
}
int g(bool v) {
    return v ? 2 : 1;
}
