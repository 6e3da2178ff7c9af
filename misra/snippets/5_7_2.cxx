int f(int v) {
    // v = v + 1;
    // ^ violates
    // The value is left as it is; others change it.
    return v;
}
