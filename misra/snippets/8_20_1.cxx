unsigned f() {
    return 1U - 2U;  // violates
}
unsigned g() {
    return 2U - 1U;
}
