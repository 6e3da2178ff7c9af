// The kernels of the library: kernels.inc describes them.
#pragma once

#include "hal/devices/refdev/kernels/kernel.h"

namespace pianola::refdev {

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_KERNEL(id, enumerator, name, version, arguments, describe, compute)       \
    Status describe(WordSpan words, Footprint& footprint, ArgumentError& error) noexcept; \
    Status compute(WordSpan words, const BoundOperands& bound) noexcept;
#include "hal/devices/refdev/kernels/kernels.inc"  // NOLINT(misra-text-19.0.3): DEV-004
#undef PIANOLA_KERNEL

}  // namespace pianola::refdev
