#include <cstdint>
std::uint8_t f(std::uint32_t v) {
    return v;  // violates
}
std::uint32_t g(std::int32_t v) {
    return v;  // violates
}
std::uint8_t h(std::uint32_t v) {
    return static_cast<std::uint8_t>(v);
}
