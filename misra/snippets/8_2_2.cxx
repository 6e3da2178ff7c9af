int f(long v) {
    return (int)v;  // violates
}
int g(long v) {
    return int(v);  // violates
}
int h(long v) {
    return static_cast<int>(v);
}
