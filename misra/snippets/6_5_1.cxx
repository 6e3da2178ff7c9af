int f(int v) {  // violates
    return v;
}
namespace {
int g(int v) {
    return f(v);
}
}
int main() {
    return g(1);
}
