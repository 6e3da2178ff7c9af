struct A {
    virtual int f(int one);
    virtual int g(int one);
};
struct B : A {
    int f(int other) override;  // violates
    int g(int one) override;
};
int h(int one);  // violates
int h(int other) {
    return other;
}
