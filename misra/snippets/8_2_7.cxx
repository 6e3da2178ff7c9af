#include <cstdint>
std::uintptr_t f(const int* v) {
    return reinterpret_cast<std::uintptr_t>(v);  // violates
}
bool g(const int* v) {
    return v != nullptr;
}
