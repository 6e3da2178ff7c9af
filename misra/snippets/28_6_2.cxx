#include <utility>
template <typename T>
int g(T v);
template <typename T>
int f(T&& v) {  // violates
    return g(v);
}
template <typename T>
int h(T&& v) {
    return g(std::forward<T>(v));
}
