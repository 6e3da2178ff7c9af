int f() {
    volatile int v = 1;  // violates
    return v;
}
unsigned g(const volatile unsigned* address) {
    return *address;
}
