// The kernel library's identity.
//
// A trace binary names the kernel library it was captured for by this hash, and the runtime compares it with the
// device's. It covers everything that determines results: the library's name, its rounding, and every kernel's id,
// version, number of argument words and name.
#pragma once

#include <array>
#include <cstdint>

#include "hal/devices/refdev/kernels/kernel.h"

namespace pianola::refdev {

inline constexpr const char* kKernelLibraryName = "pianola.refdev.int8";
inline constexpr const char* kKernelLibraryRounding = "double-rounding";

// The device's number for how it expects plain weights: in the order of the indices that arguments.inc gives. The word
// weights_layout of a launch is another number: it names a packed layout.
inline constexpr std::uint32_t kWeightsLayout = 1U;

// SHA-256 over: the two names above, then per kernel of the ROM in order: id, version, argument_words (32 bits each,
// little-endian) and name. Each name is followed by a zero byte.
void kernel_library_hash(std::array<std::uint8_t, 32>& hash) noexcept;

}  // namespace pianola::refdev
