int f(int v) {
    // one \
    v += 1;  // ^ violates
    // two
    return v;
}
