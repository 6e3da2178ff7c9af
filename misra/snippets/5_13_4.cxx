unsigned f() {
    return 0x8000'0000;  // violates
}
unsigned g() {
    return 0x8000'0000U + 5U;
}
