#include <cstdint>
namespace a {
int f();  // violates
std::int32_t g();
unsigned h(unsigned v);  // violates
}
int main() {
    return 0;
}
