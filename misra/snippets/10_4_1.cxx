void f() {
    asm volatile("nop");  // violates
}
int g() {
    return 1;
}
