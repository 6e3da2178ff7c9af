int f(int v) {
    return v + 1;
}
int main(int argc, char** /*argv*/) {
    constexpr int kLargest = 2147483647;
    return f((argc > 1) ? kLargest : 0) == 1 ? 0 : 0;
}
