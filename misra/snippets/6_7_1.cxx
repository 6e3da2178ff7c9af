int f() {
    static int calls = 0;  // violates
    int now = 1;
    calls += now;
    return calls;
}
