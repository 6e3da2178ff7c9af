using One = int (*)(int);
using Other = void (*)();
Other f(One v) {
    return reinterpret_cast<Other>(v);  // violates
}
One g(One v) {
    return v;
}
