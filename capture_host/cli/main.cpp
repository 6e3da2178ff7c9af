#include "capture_host/cli/cli.h"

int main(int argc, char** argv) {
    return pianola::cli::run_pianola(argc, argv);
}
