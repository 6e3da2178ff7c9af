#include <cstddef>
inline void* operator new(std::size_t, void* place) noexcept { return place; }
int* f(void* place) {
    return new (place) int{1};  // violates
}
int g() {
    return 1;
}
