// Writes the seeds of all fuzzers whose inputs are binary: OUT/NAME/SEED.
//
//   pianola_fuzz_seeds OUT
//
// Those of the command line are texts: tests/fuzz/corpus/cli.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "pianola_host/files.h"
#include "tests/fuzz/seeds.h"

namespace {

void write(const std::filesystem::path& folder, const std::vector<pianola::fuzz::Seed>& seeds) {
    (void)std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    for (const pianola::fuzz::Seed& seed : seeds) {
        pianola::files::store_file(folder / seed.name, seed.contents);
    }
}

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc != 2) {
            fmt::print(stderr, "usage: pianola_fuzz_seeds OUT\n");
            return 2;
        }
        const std::filesystem::path out{argv[1]};
        write(out / "envelope", pianola::fuzz::envelope_seeds());
        write(out / "manifest", pianola::fuzz::manifest_seeds());
        write(out / "decoder", pianola::fuzz::decoder_seeds());
        write(out / "importer", pianola::fuzz::importer_seeds());
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
}
