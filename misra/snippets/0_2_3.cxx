int f(int v) {
    using Number = int;  // violates
    using Result = int;
    return Result{v};
}
