const char* f() {
    return "a\cb";  // violates
}
const char* g() {
    return "a\tb";
}
