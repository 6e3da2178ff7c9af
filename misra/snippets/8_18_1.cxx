#include <cstring>
int main(int argc, char** /*argv*/) {
    char bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const std::size_t away = (argc > 1) ? 1U : 4U;
    std::memcpy(&bytes[away], &bytes[0], (argc > 1) ? 6U : 4U);
    return 0;
}
