#include <utility>
struct A {
    A() = default;
    A(const A& other);
    A(A&& other) noexcept;
    A& operator=(const A& other);
    A& operator=(A&& other) noexcept;
    ~A();
};
A f(const A& v) {
    return std::move(v);  // violates
}
A g(A& v) {
    return std::move(v);
}
