int f(int v);
int g(int v) {
    f(v);  // violates
    static_cast<void>(f(v));
    if (v > 1)
        f(v);  // violates
    return f(v);
}
