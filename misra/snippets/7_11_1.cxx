int* f() {
    return 0;  // violates
}
int* g() {
    return nullptr;
}
