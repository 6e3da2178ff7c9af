int f(int v);
bool g() {
    return f == nullptr;  // violates
}
int h() {
    int (*const p)(int) = f;
    return p(1);
}
