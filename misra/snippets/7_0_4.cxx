int f(int v) {
    return v & 3;  // violates
}
unsigned g(unsigned v) {
    return v & 3U;
}
