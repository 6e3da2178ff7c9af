// A ROM with some of the kernels, as a C++ source.
#pragma once

#include <string>

#include "pianola/span.h"

namespace pianola::refdev {

// Defines kernel_rom() and find_kernel() for the kernels of these ids, which ascend. An image that compiles it links no
// other kernel. Needs the public headers of the kernels only, and compiles only where these have the same versions.
// Empty if one of the ids is that of no kernel.
[[nodiscard]] std::string rom_source(Span<const std::uint32_t> ids);

}  // namespace pianola::refdev
