struct A {  // violates
    A(const A& other);
    int v;
};
struct B {
    int v;
};
