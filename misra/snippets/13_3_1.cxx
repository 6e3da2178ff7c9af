struct A {
    virtual int f();
    virtual int g();
};
struct B : A {
    virtual int f();  // violates
    int g() override;
};
