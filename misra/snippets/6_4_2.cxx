struct A {
    int f(int v);
    int h(int v);
};
struct B : A {
    int f(long v);  // violates
    int g(int v);
    using A::h;
    int h(long v);
};
