void f() noexcept {
    throw 1;  // violates
}
