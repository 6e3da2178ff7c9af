#include <array>
int f() {
    const int v[2] = {1, 2};  // violates
    const std::array<int, 2> w{1, 2};
    return v[0] + w[0];
}
