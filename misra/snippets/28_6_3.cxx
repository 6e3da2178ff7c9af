#include <utility>
struct A {
    A() = default;
    A(const A& other);
    A(A&& other) noexcept;
    A& operator=(const A& other);
    A& operator=(A&& other) noexcept;
    ~A();
    int v{0};
};
int take(A v);
int f(A v) {
    const int w = take(std::move(v));
    return w + v.v;  // violates
}
int g(A v) {
    return take(std::move(v));
}
