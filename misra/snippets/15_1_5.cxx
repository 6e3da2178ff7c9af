#include <initializer_list>
struct A {
    A(std::initializer_list<int> v);  // violates
    explicit A(int v);
};
