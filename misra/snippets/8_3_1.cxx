unsigned f(unsigned v) {
    return -v;  // violates
}
int g(int v) {
    return -v;
}
