// pianola_pl330_binaries FOLDER: writes exchange.ptb, and without_event.ptb, which the validator refuses.
#include <cstdio>
#include <string>

#include "capture_host/files/files.h"
#include "tests/pl330/workloads.h"

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: pianola_pl330_binaries FOLDER\n", stderr);
        return 2;
    }
    const std::string folder = argv[1];
    pianola::files::store_file(folder + "/exchange.ptb", pianola::test::exchange().file());
    pianola::files::store_file(folder + "/without_event.ptb", pianola::test::exchange_without_event().file());
    return 0;
}
