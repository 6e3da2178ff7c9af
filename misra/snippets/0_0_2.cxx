bool f(unsigned v) {
    return v == v;  // violates
}
bool g(unsigned v, unsigned w) {
    return v == w;
}
unsigned h(unsigned v) {
    const bool on{true};
    if (on) {  // violates
        v += 1U;
    }
    const bool is_large = v > 7U;
    if (is_large) {
        v -= 1U;
    }
    const unsigned limit = 4U;
    return (limit > 5U) ? v : 0U;  // violates
}
