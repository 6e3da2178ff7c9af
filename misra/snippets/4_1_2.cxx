#include <stdint.h>  // violates
#include <cstdint>
std::uint32_t f();
