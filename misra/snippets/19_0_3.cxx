#include <array>
int f();
#include <cstdint>  // violates
