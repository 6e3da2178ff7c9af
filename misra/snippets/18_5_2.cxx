#include <cstdlib>
void f() {
    std::abort();  // violates
}
int g() {
    return 1;
}
