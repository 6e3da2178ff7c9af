namespace {
int* g_kept;
}
void f() {
    int v = 1;
    g_kept = &v;
}  // violates
int g(int v) {
    const int* w = &v;
    return *w + ((g_kept != nullptr) ? 1 : 0);
}
