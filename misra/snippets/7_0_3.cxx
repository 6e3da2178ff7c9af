int f(char v) {
    return v + 1;  // violates
}
bool g(char v, char w) {
    return v == w;
}
