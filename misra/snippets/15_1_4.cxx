struct A {
    A() {}  // violates
    int v;
};
struct B {
    B() {}
    int v{0};
};
