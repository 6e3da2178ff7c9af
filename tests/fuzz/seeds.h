// Seeds: inputs from which the fuzzers start, made rather than kept, so that they are of today's format.
//
// Everything is a function of the source alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pianola::fuzz {

struct Seed {
    std::string name;
    std::vector<std::uint8_t> contents;
};

[[nodiscard]] std::vector<Seed> envelope_seeds();
[[nodiscard]] std::vector<Seed> manifest_seeds();
[[nodiscard]] std::vector<Seed> decoder_seeds();
[[nodiscard]] std::vector<Seed> importer_seeds();

// The files that a command line of the fuzzer finds, and words that mean something to it: sub-commands, options, file
// names.
[[nodiscard]] std::vector<Seed> command_line_files();
[[nodiscard]] std::vector<std::string> command_line_words();

}  // namespace pianola::fuzz
