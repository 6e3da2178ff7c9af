struct A {
    unsigned one : 1;  // violates
    unsigned two;
};
