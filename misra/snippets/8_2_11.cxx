int f(int count, ...);
int g() {
    return f(1, 2);  // violates
}
int h(int v);
int i() {
    return h(1);
}
