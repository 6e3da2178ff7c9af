// Kernel: one entry of the reference device's ROM.
//
// docs/reference/device.md specifies every kernel's arguments and extents. All kernels run on the device's cores
// without a heap and are total: for any argument words and any bytes in memory, a kernel returns and has no undefined
// behaviour.
#pragma once

#include <array>
#include <cstdint>

#include "hal/devices/refdev/kernels/device_memory.h"
#include "hal/devices/refdev/kernels/work.h"
#include "pianola/command_set.h"
#include "pianola/span.h"
#include "pianola/status.h"

namespace pianola::refdev {

// kernels.inc is the list of the kernels.
enum class KernelId : std::uint32_t {
    kUnspecified = 0U,
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_KERNEL(id, enumerator, name, version, arguments, describe, work, compute) enumerator = (id),
#include "hal/devices/refdev/kernels/kernels.inc"  // NOLINT(misra-text-19.0.3): DEV-004
#undef PIANOLA_KERNEL
};

// All of them, in the order of their ids.
inline constexpr std::array kKernelIds{
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_KERNEL(id, enumerator, name, version, arguments, describe, work, compute) KernelId::enumerator,
#include "hal/devices/refdev/kernels/kernels.inc"  // NOLINT(misra-text-19.0.3): DEV-004
#undef PIANOLA_KERNEL
};

// Why argument words are refused; or which of them is special.
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
    // Bit i: argument word i is a value alone. It changes neither extents nor work, and if two values of it are
    // accepted, so is every value in between, compared as unsigned words, as long as the two have the same sign. This
    // holds for any number of such words together: the accepted set is a product of ranges. (Hence no activation_min:
    // its upper bound is activation_max. Nor activation_max, where a full range of int8 takes fewer steps.)
    std::uint64_t value_words{0U};

    // Checks the argument words (argument_words of them) and publishes extents. kOk or kRefused. After kOk, compute()
    // with the same words touches the published extents and nothing else, and writes every byte of those written. With
    // kOk, the error is unchanged, or names the output if that overlaps an input so that the result is right only where
    // compute() executes the launch, in its order.
    Status (*describe)(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept = nullptr;

    // Adds to a Work of zeros what compute() does for words that describe() has accepted, with such inner loops.
    void (*work)(WordSpan arguments, Loops loops, Work& work) noexcept = nullptr;

    // Computes a launch that describe() has accepted, on its extents: called only by run(). kOk; kRefused: an
    // unsatisfied wait for a semaphore, and nothing was written.
    Status (*compute)(WordSpan arguments, const BoundOperands& bound) noexcept = nullptr;
};

// Runs a launch. Calls describe() and refuses what it refuses, so that a trace damaged after its proof cannot make a
// kernel leave its operands. kOk; kRefused: bad arguments, or as compute(); kDeviceFault: an operand is outside the
// regions, or not permitted; kInternal: more than kMaxReadOperands are read, which no kernel of the ROM does. After any
// other result than kOk, nothing was written.
Status run(const Kernel& kernel, WordSpan arguments, const DeviceMemory& memory) noexcept;

// The ROM, sorted by id. On the host it has every kernel of kernels.inc.
[[nodiscard]] Span<const Kernel> kernel_rom() noexcept;

// Constant time. nullptr if there is no such kernel.
[[nodiscard]] const Kernel* find_kernel(std::uint32_t id) noexcept;

}  // namespace pianola::refdev
