int f(int v) {
    if (v > 1) {
        return 1;
    }
}  // violates
int g() {
    return 1;
}
