#include <csetjmp>  // violates
#include <cstdint>
namespace a {
std::uint32_t f();
}
