#include <cstdio>
#include <exception>

#include "docs/examples/road_signs/command_line.h"

int main(int argc, char** argv) {
    try {
        return pianola::sample::run_command_line(argc, argv);
    } catch (const std::exception& error) {  // stderr is closed: nothing is left to say it to
        (void)std::fputs(error.what(), stderr);
        return pianola::sample::kFileTrouble;
    }
}
