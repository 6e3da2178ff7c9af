#include <array>
#if 0
#include "a\\b.h"  // violates
#endif
int f();
