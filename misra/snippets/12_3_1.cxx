union A {  // violates
    int one;
    float two;
};
struct B {
    int one;
    float two;
};
