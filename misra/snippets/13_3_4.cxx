struct A {
    virtual int f();
};
bool g(int (A::*v)()) {
    return v == &A::f;  // violates
}
bool h(int (A::*v)()) {
    return v == nullptr;
}
