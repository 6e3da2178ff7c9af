struct A {
    A(int v);  // violates
    explicit A(long v);
};
