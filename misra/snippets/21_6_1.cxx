int* f() {
    return new int{1};  // violates
}
int g() {
    return 1;
}
