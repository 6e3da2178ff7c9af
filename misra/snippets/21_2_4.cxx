#include <cstddef>
struct A {
    int one;
    int two;
};
std::size_t f() {
    return offsetof(A, two);  // violates
}
std::size_t g() {
    return sizeof(A);
}
