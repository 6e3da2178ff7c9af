// Decompile: a binary's launches back to a model's operators and constants, and compared with the model.
//
// `pianola decompile` runs it. It reads the model with the importer's reader of files, and shares nothing else with
// the importer. The binary's scripts run on memory that holds a number for each byte (expressions.h); every launch must
// be what an operator of the model computes, each operator once, and the outputs must be the model's.
#pragma once

#include <string>
#include <vector>

#include "pianola/command_set.h"
#include "pianola/image.h"

namespace pianola::decompile {

// A launch or copy of the step, and what it is.
struct Line {
    std::uint32_t trace{0U};
    std::uint32_t command{0U};
    std::string kernel;
    std::string operation;  // "3 CONV_2D", or empty for what moves bytes
};

struct Report {
    std::vector<Line> lines;
    std::uint32_t operators{0U};           // of the model
    std::vector<std::string> differences;  // none: the binary computes the model
};

// The binary must have been verified for its device, which is one that runs the kernel library of
// hal/devices/refdev/kernels. Throws tflite::ImportError if the model cannot be read.
[[nodiscard]] Report decompile(const Image& image, const CommandSet& command_set, ByteSpan model_file);

}  // namespace pianola::decompile
