#include <cstring>
bool f(const char* v) {
    return std::strlen(v) == 1U;  // violates
}
bool g(const char* v) {
    return v == nullptr;
}
