struct A {
    virtual int f();
};
bool g(A& a) {
    return &typeid(a) != nullptr;  // violates
}
