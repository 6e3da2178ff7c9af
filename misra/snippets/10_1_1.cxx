struct A {
    int v;
};
int f(A& a) {  // violates
    return a.v;
}
int g(const A& a) {
    return a.v;
}
int h(A& a) {
    a.v = 1;
    return a.v;
}
int i(int* v) {  // violates
    return *v;
}
