int f(int v) {  // violates
    return (v > 0) ? f(v - 1) : 0;
}
int g(int v) {
    return v;
}
