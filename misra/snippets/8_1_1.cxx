struct A {
    int v{0};
    int f() {
        const auto g = [=]() { return v; };  // violates
        const auto h = [this]() { return v; };
        return g() + h();
    }
};
