int f(int v) {
    if (v > 1) {
        goto end;  // violates
    }
    v = 1;
end:
    return v;
}
int g(int v) {
    return v;
}
