struct A {
    virtual int f(int v = 1);  // violates
    virtual int g(int v);
};
