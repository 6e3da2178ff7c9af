#include <array>
#define PIANOLA_NAME <array>
#include PIANOLA_NAME  // violates
int f();
