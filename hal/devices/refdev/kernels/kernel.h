// Kernel: one entry of the reference device's ROM.
//
// docs/reference/device.md specifies every kernel's arguments and extents. All kernels run on the device's cores
// without a heap and are total: for any argument words and any bytes in memory, a kernel returns and has no undefined
// behaviour.
#pragma once

#include <cstdint>

#include "hal/devices/refdev/kernels/device_memory.h"
#include "pianola/command_set.h"
#include "pianola/span.h"
#include "pianola/status.h"

namespace pianola::refdev {

// kernels.inc is the list of the kernels.
enum class KernelId : std::uint32_t {
    kUnspecified = 0U,
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_KERNEL(id, enumerator, name, version, arguments, describe, compute) enumerator = (id),
#include "hal/devices/refdev/kernels/kernels.inc"  // NOLINT(misra-text-19.0.3): DEV-004
#undef PIANOLA_KERNEL
};

// Extents and cost of a launch with given arguments.
struct Footprint {
    ExtentList extents;
    std::uint64_t cost_cycles{0U};

    constexpr void clear() noexcept {
        extents.clear();
        cost_cycles = 0U;
    }
};

// Why argument words are refused.
struct ArgumentError {
    const char* field{""};   // static lifetime
    std::uint32_t word{0U};  // index of the argument word
};

inline constexpr std::uint32_t kMaxReadOperands = 4U;

// The operands of a launch in this core's memory. `inputs`: those that are read, in the order of their extents.
// `output`: the last extent that is written. `state`: the written extent before it, if a kernel writes two.
struct BoundOperands {
    std::array<const std::int8_t*, kMaxReadOperands> inputs{};
    std::int8_t* state{nullptr};
    std::int8_t* output{nullptr};
};

struct Kernel {
    KernelId id{KernelId::kUnspecified};
    std::uint32_t version{0U};  // raised whenever the result for any argument changes
    const char* name{""};
    std::uint32_t argument_words{0U};  // exact

    // Bit i: argument word i is the device address of an operand (0 for an optional operand that a launch omits). For
    // any two accepted values, the operand's extents differ by exactly their difference; nothing else differs.
    std::uint64_t address_words{0U};
    // Bit i: argument word i is a value alone. It changes neither extents nor cost, and if two values of it are
    // accepted, so is every value in between, compared as unsigned words, as long as the two have the same sign. This
    // holds for any number of such words together: the accepted set is a product of ranges. (Hence no activation_min:
    // its upper bound is activation_max.)
    std::uint64_t value_words{0U};

    // Checks the argument words (argument_words of them) and publishes extents and cost. kOk or kRefused. After kOk,
    // compute() with the same words touches the published extents and nothing else, and writes every byte of those
    // written.
    Status (*describe)(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept = nullptr;

    // Computes a launch that describe() has accepted, on its extents: called only by run(). kOk; kRefused: an
    // unsatisfied wait for a semaphore, and nothing was written.
    Status (*compute)(WordSpan arguments, const BoundOperands& bound) noexcept = nullptr;
};

// Runs a launch. Calls describe() and refuses what it refuses, so that a trace damaged after its proof cannot make a
// kernel leave its operands. kOk; kRefused: bad arguments, or as compute(); kDeviceFault: an operand is outside the
// regions, or not permitted; kInternal: more than kMaxReadOperands are read, which no kernel of the ROM does. After any
// other result than kOk, nothing was written.
Status run(const Kernel& kernel, WordSpan arguments, const DeviceMemory& memory) noexcept;

// The ROM, sorted by id, without gaps from 1.
[[nodiscard]] Span<const Kernel> kernel_rom() noexcept;

// Constant time. nullptr if there is no such kernel.
[[nodiscard]] const Kernel* find_kernel(std::uint32_t id) noexcept;

}  // namespace pianola::refdev
