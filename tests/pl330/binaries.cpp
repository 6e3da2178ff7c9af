// pianola_pl330_binaries FOLDER: writes exchange.ptb; impatient.ptb, the same with a deadline that can be waited for;
// and without_event.ptb, which the validator refuses.
#include <cstdio>
#include <string>

#include "pianola_host/files.h"
#include "tests/pl330/workloads.h"

int main(int argc, char** argv) {
    if (argc != 2) {
        (void)std::fputs("usage: pianola_pl330_binaries FOLDER\n", stderr);
        return 2;
    }
    const std::string folder = argv[1];
    pianola::files::store_file(folder + "/exchange.ptb", pianola::test::exchange().file());
    pianola::files::store_file(folder + "/without_event.ptb", pianola::test::exchange_without_event().file());
    pianola::pl330::Lowered impatient = pianola::test::exchange();
    impatient.manifest.step_deadline_us = 500'000U;
    pianola::files::store_file(folder + "/impatient.ptb", impatient.file());
    return 0;
}
