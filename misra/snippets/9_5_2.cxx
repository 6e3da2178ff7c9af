#include <array>
using List = std::array<int, 2>;
const List& one(int v);
const List& other(const List& v);
int f(int v) {
    int w = 0;
    for (const int x : other(one(v))) {  // violates
        w += x;
    }
    for (const int x : one(v)) {
        w += x;
    }
    return w;
}
