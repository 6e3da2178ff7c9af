// The kernel library's identity.
//
// A trace binary names the kernel library it was captured for by this hash, and the runtime compares it with the
// device's. It covers what all kernels share: the library's name and its rounding. The kernels that a binary launches
// are compared one by one (CommandSet::kernel()), so that others may be added or change.
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

// SHA-256 over the two names above, each followed by a zero byte.
void kernel_library_hash(std::array<std::uint8_t, 32>& hash) noexcept;

}  // namespace pianola::refdev
