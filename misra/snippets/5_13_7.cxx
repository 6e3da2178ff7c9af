const char* f() {
    return u8"a" "b";  // violates
}
const char* g() {
    return "a" "b";
}
