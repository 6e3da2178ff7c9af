const char* f() {
    return "\x41g";  // violates
}
const char* g() {
    return "\x41" "g";
}
const char* h() {
    return "\12" "3" "\0";
}
const char* i() {
    return "\128";  // violates
}
