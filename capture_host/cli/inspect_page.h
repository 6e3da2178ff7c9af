// The page of `inspect --html`: memory map, tensors, operators, scripts, and what the validator says, as pictures and
// tables.
//
// A function of the file alone.
#pragma once

#include <string>

#include "capture_host/cli/target_option.h"
#include "pianola/envelope.h"
#include "pianola/image.h"

namespace pianola::cli {

// The envelope and image are those of the file; whether they are accepted is said.
[[nodiscard]] std::string inspect_page(const std::string& file_name, const BinaryFile& file, const Envelope& envelope,
                                       const Image& image);

}  // namespace pianola::cli
