int f(int v) {
    const auto g = [&]() { return v; };  // violates
    const auto h = [&v]() { return v; };
    return g() + h();
}
