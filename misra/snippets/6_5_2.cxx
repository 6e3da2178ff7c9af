namespace {
static int f(int v) {  // violates
    return v;
}
int g(int v) {
    return f(v);
}
}
int main() {
    return g(1);
}
