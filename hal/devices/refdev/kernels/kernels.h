// The kernels of the library: kernels.inc describes them.
#pragma once

#include "hal/devices/refdev/kernels/kernel.h"

namespace pianola::refdev {

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_KERNEL(id, enumerator, name, version, arguments, describe, work, compute) \
    Status describe(WordSpan words, ExtentList& extents, ArgumentError& error) noexcept;  \
    void(work)(WordSpan words, Loops loops, Work & turns) noexcept;                       \
    Status compute(WordSpan words, const BoundOperands& bound) noexcept;
#include "hal/devices/refdev/kernels/kernels.inc"  // NOLINT(misra-text-19.0.3): DEV-004
#undef PIANOLA_KERNEL

// The version that these sources have of a kernel of kernels.inc; 0 for another number.
[[nodiscard]] constexpr std::uint32_t version_of(KernelId kernel) noexcept {
    switch (kernel) {
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_KERNEL(id, enumerator, name, version, arguments, describe, work, compute) \
    case KernelId::enumerator:                                                            \
        return version;
#include "hal/devices/refdev/kernels/kernels.inc"  // NOLINT(misra-text-19.0.3): DEV-004
#undef PIANOLA_KERNEL
        case KernelId::kUnspecified:
        default:
            return 0U;
    }
}

}  // namespace pianola::refdev
