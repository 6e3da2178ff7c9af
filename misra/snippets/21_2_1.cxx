#include <cstdlib>  // violates
#include <cstdint>
extern "C" int atoi(const char* text);
namespace a {
std::uint32_t f();
int g(const char* text) {
    return atoi(text);  // violates
}
}
