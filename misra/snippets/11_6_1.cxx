#include <array>
int f(int v) {
    int w;  // violates
    w = v;
    std::array<int, 2> x;  // violates
    x[0] = w;
    std::array<int, 2> y{};
    return x[0] + y[1];
}
