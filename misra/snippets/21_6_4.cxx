#include <cstddef>
void operator delete(void* place) noexcept;  // violates
int f();
