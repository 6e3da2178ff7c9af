// LaunchCheck: the checks that every kernel's describe() makes, and the operands that run() then binds.
//
// A kernel takes the accepted range of each argument word from its list in arguments.inc, and checks relations
// between words, then its operands. The first violation is reported with its word; nothing is accepted by default.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/device_memory.h"
#include "hal/devices/refdev/kernels/kernel.h"

namespace pianola::refdev {

// Range of one argument word. Accepted: lowest, lowest + 1, ... lowest + span, modulo 2^32, so that one form serves
// signed and unsigned words.
struct ArgumentRule {
    const char* field;
    std::uint32_t lowest;
    std::uint32_t span;
};

template <typename Arguments>
using ArgumentRules = std::array<ArgumentRule, kArgumentWords<Arguments>>;

// Largest operand. A signed 32-bit index reaches every byte of it.
inline constexpr std::uint64_t kMaxOperandBytes = INT32_MAX;
// Largest height, width, stride, dilation and padding. origin + tap * dilation with all of them fits in 32 signed bits.
inline constexpr std::uint32_t kMaxSpatial = 32767U;
// Most taps of a window or products in a sum: 65536 * 255 * 128 fits in a 32-bit accumulator.
inline constexpr std::uint32_t kMaxTaps = 65536U;

// The product of the factors, or a number above kMaxOperandBytes if the product is. Factors are below 2^33, so no
// intermediate product wraps.
template <typename... Factors>
[[nodiscard]] constexpr std::uint64_t bounded_product(Factors... factors) noexcept {
    std::uint64_t product = 1U;
    // NOLINTNEXTLINE(pianola-misra-8.18.2, pianola-misra-8.19.1): DEV-068
    ((product = ((product * factors) > kMaxOperandBytes) ? (kMaxOperandBytes + 1U) : (product * factors)), ...);
    return product;
}

// How far a kernel's writes run ahead of its reads. Where the output's first byte is at least `bytes` below that of the
// first operand that is read, and their distance is a multiple of `unit_bytes`, no byte of that operand is overwritten
// before it has been read for the last time. This holds for the inner loops of every variant (inner_loops.h) and
// depends neither on addresses nor on words that are values alone (kernel.h).
struct Lead {
    std::uint64_t bytes;
    std::uint32_t unit_bytes;
};

class LaunchCheck {
  public:
    // The referenced objects must outlive this one. `words` and `rules` have equal sizes: see words_accepted().
    LaunchCheck(WordSpan words, Span<const ArgumentRule> rules, ExtentList& extents, ArgumentError& error) noexcept
        : words_{words}, rules_{rules}, extents_{extents}, error_{error} {
        extents_.clear();
    }

    // False if the number of words is wrong (the error names no field), or a word is outside its range.
    [[nodiscard]] bool words_accepted() noexcept;

    // Returns `condition`; if it is false, the error names `word`.
    [[nodiscard]] bool require(bool condition, std::uint32_t word) noexcept { return condition || refuse(word); }

    // Publishes the operand whose address is words[address_word]. False if it is too large or wraps round the address
    // space.
    [[nodiscard]] bool operand(std::uint32_t address_word, std::uint64_t size_bytes, Access access) noexcept;

    // Permitted placement of the output relative to the operands that are read.
    enum class Placement : std::uint8_t {
        kApart,           // shares no byte with any of them
        kApartOrInPlace,  // or is the very same extent
    };
    // Checks the placement of the operand published last.
    [[nodiscard]] bool output_placed(std::uint32_t address_word, Placement placement) noexcept;
    // Where that is false for kApart: whether the output overlaps only the first operand, as far as the kernel's lead
    // permits. The error names the output in either case, as Kernel::describe() says.
    [[nodiscard]] bool output_follows(const Lead& lead) const noexcept;

    // The verdict. `accepted` is the conjunction of all checks.
    [[nodiscard]] Status finish(bool accepted) noexcept;

  private:
    [[nodiscard]] bool refuse(std::uint32_t word) noexcept;

    WordSpan words_;
    Span<const ArgumentRule> rules_;
    ExtentList& extents_;
    ArgumentError& error_;
};

}  // namespace pianola::refdev
