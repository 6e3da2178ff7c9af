namespace {
constexpr int kUnused = 1;  // violates
constexpr int kUsed = 1;
}
int f(int v) {
    int w{v};  // violates
    const int x{v};
    return x + kUsed;
}
