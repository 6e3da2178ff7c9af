#include <cstring>
void f(int* to, const int* from) {
    std::memcpy(to, from, sizeof(*to));  // violates
}
void g(int* to, const int* from) {
    *to = *from;
}
