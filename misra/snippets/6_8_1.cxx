int main(int argc, char** /*argv*/) {
    const int* seen = nullptr;
    int outer = 1;
    if (argc > 1) {
        int inner = 2;
        seen = &inner;
    } else {
        seen = &outer;
    }
    return (*seen == 1) ? 0 : 0;
}
