const char* f() {
    return "a??=b";  // violates
}
const char* g() {
    return "a?b";
}
