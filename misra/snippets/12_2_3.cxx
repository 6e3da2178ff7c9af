struct A {
    signed one : 1;  // violates
    unsigned two;
};
