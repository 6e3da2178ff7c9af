int f() {
    return 017;  // violates
}
int g() {
    return 0 + 17 + 0x17;
}
