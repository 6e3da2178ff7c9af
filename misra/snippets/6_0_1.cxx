struct A {};
int f() {
    A a();  // violates
    A b{};
    static_cast<void>(b);
    return 1;
}
