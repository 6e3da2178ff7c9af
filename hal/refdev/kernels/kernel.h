// Kernel: one entry of the reference device's ROM.
//
// Place in the whole: shared by the command set (which proves a launch at load), the command processor (which runs it)
// and the capture side (which fills in the arguments). docs/DEVICE.md specifies every kernel's arguments and extents.
// Everything here is heap-free, runs on the device's own cores, and is total: whatever the argument words and whatever the
// bytes in memory, a kernel returns, and has no undefined behaviour.
#pragma once

#include <cstdint>

#include "hal/refdev/device_memory.h"
#include "runtime/core/span.h"
#include "runtime/core/status.h"
#include "runtime/device/command_set.h"

namespace pianola::refdev {

// Kernel ids are part of the command set. They are never reused for another meaning, and have no gaps, so that finding a
// kernel is an index.
enum class KernelId : std::uint32_t {
    kUnspecified = 0U,
    kFullyConnected = 1U,
    kConv2d = 2U,
    kDepthwiseConv2d = 3U,
    kAveragePool2d = 4U,
    kMaxPool2d = 5U,
    kMean = 6U,
    kAdd = 7U,
    kSoftmax = 8U,
    kRequantize = 9U,
    kPad = 10U,
};

// What a launch with given arguments touches and costs.
struct Footprint {
    ExtentList extents;
    std::uint64_t cost_cycles{0U};
};

// Why argument words are not acceptable.
struct ArgumentError {
    const char* field{""};   // static lifetime
    std::uint32_t word{0U};  // index of the argument word
};

struct Kernel {
    KernelId id{KernelId::kUnspecified};
    std::uint32_t version{0U};  // raised whenever the result for any argument changes
    const char* name{""};
    std::uint32_t argument_words{0U};  // exact
    std::uint64_t address_words{0U};
    std::uint64_t value_words{0U};

    // Checks the argument words (argument_words of them) and publishes extents and cost. kOk or kRefused. After kOk, run()
    // with the same words touches exactly the published extents.
    Status (*describe)(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept = nullptr;

    // Runs the kernel. Calls describe() by itself and refuses what describe() refuses, so that a trace damaged after it was
    // proved cannot make a kernel leave its operands. kOk; kRefused: bad arguments, nothing was touched; kDeviceFault: an
    // operand is outside the regions, or not permitted; nothing was touched.
    Status (*run)(WordSpan arguments, const DeviceMemory& memory) noexcept = nullptr;
};

// The ROM, sorted by id, without gaps from 1.
[[nodiscard]] Span<const Kernel> kernel_rom() noexcept;

// Constant time. nullptr where there is no such kernel.
[[nodiscard]] const Kernel* find_kernel(std::uint32_t id) noexcept;

}  // namespace pianola::refdev
