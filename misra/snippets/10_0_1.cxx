int f(int v) {
    int w = 1, x = 2;  // violates
    int y = v;
    w += y;
    x += w;
    return x;
}
struct Pair {
    int left, right;  // violates
    int third;
};
constexpr int kTwo = 2, kThree = 3;  // violates
