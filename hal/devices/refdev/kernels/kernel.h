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

// Kernel ids are part of the command set. They are never reused for another meaning, and have no gaps, so that finding
// a kernel is an index.
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
    kCopy = 11U,
    kFill = 12U,
    kGather = 13U,
    kUnary = 14U,
    kBinary = 15U,
    kMatmul = 16U,
    kReduce = 17U,
    kSemaphore = 18U,
    kView = 19U,
    kTake = 20U,
    kLookup = 21U,
    kQuantizedBinary = 22U,
    kSelect = 23U,
    kQuantize = 24U,
    kDequantize = 25U,
    kRescale = 26U,
    kSvdfFeature = 27U,
    kSvdfTime = 28U,
    kLstm = 29U,
    kFullyConnectedInt16 = 30U,
    kConv2dInt16 = 31U,
    kDepthwiseConv2dInt16 = 32U,
    kSoftmaxInt16 = 33U,
    kSigmoidInt16 = 34U,
    kL2Normalization = 35U,
    kLogSoftmax = 36U,
    kMatmulInt16 = 37U,
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

// The operands of a launch in this core's memory: the read ones in the order of their extents, and the written one; of
// two, the last is the output.
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
