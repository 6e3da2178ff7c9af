struct A {
    A();
};
struct B : A {
    explicit B(int v) : w{v} {}  // violates
    int w;
};
struct C : A {
    explicit C(int v) : A{}, w{v} {}
    int w;
};
