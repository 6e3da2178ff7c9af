struct A {
    A() { f(); }  // violates
    virtual int f() { return 1; }
    int g() { return f(); }
};
void h() {
    A a;
    static_cast<void>(a.g());
}
