int f(int v) {
    return __builtin_popcount(static_cast<unsigned>(v));  // violates
}
__attribute__((used)) int g(int v);  // violates
[[nodiscard]] int h(int v);
int i(int v) {
    return ({ v; });  // violates
}
