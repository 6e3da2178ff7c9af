#include <cstdint>
bool f(std::uint16_t v, std::uint16_t w) {
    return v < w;  // violates
}
bool g(std::uint16_t v, std::uint16_t w) {
    return std::uint32_t{v} < w;
}
