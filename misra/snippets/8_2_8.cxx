#include <cstdint>
std::uint64_t f(const int* v) {
    return reinterpret_cast<std::uint64_t>(v);  // violates
}
std::uintptr_t g(const int* v) {
    return reinterpret_cast<std::uintptr_t>(v);
}
