// The memory map of a binary as pictures: each memory to scale, and below it every region with its buffers, however
// small.
//
// Regions of files that verify refuses may overlap, or lie outside of the memory: they are shown as they are.
#pragma once

#include <string>

#include "pianola_host/manifest.h"

namespace pianola::cli {

// Pictures, and a table that says the same.
[[nodiscard]] std::string memory_map(const capture::Manifest& manifest);

}  // namespace pianola::cli
