[[noreturn]] void f(int v) {
    while (v > 0) {
    }
}  // violates
[[noreturn]] void g() {
    while (true) {
    }
}
