struct Guard {
    explicit Guard(int v);
    ~Guard();
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
};
void f(int v) {
    Guard{v};  // violates
    const Guard guard{v};
    static_cast<long>(v);  // violates
}
