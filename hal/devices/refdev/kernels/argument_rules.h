// Accepted range of an argument word, and its role.
//
// Used to write the lists of argument words (argument_words.h, rescaling_argument_words.h), and to evaluate them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/fixed_point.h"
#include "hal/devices/refdev/kernels/launch_check.h"

namespace pianola::refdev {

enum class ArgumentRole : std::uint8_t { kOther, kAddress, kValue };

struct ArgumentWord {
    ArgumentRule rule;
    ArgumentRole role;
};

template <typename Arguments>
using ArgumentWords = std::array<ArgumentWord, kArgumentWords<Arguments>>;

[[nodiscard]] constexpr ArgumentWord in_range(const char* field, std::int32_t lowest, std::int32_t highest) noexcept {
    return {{field, static_cast<std::uint32_t>(lowest),
             static_cast<std::uint32_t>(highest) - static_cast<std::uint32_t>(lowest)},
            ArgumentRole::kOther};
}
[[nodiscard]] constexpr ArgumentWord any_value(const char* field) noexcept {
    return {{field, 0U, UINT32_MAX}, ArgumentRole::kOther};
}
[[nodiscard]] constexpr ArgumentWord address(const char* field) noexcept {
    return {any_value(field).rule, ArgumentRole::kAddress};
}
[[nodiscard]] constexpr ArgumentWord value(const ArgumentWord& word) noexcept {
    return {word.rule, ArgumentRole::kValue};
}
[[nodiscard]] constexpr ArgumentWord count_rule(const char* field) noexcept {
    return in_range(field, 1, INT32_MAX);
}
[[nodiscard]] constexpr ArgumentWord size_rule(const char* field) noexcept {
    return in_range(field, 0, INT32_MAX);
}
[[nodiscard]] constexpr ArgumentWord spatial_rule(const char* field) noexcept {
    return in_range(field, 1, static_cast<std::int32_t>(kMaxSpatial));
}
[[nodiscard]] constexpr ArgumentWord padding_rule(const char* field) noexcept {
    return in_range(field, 0, static_cast<std::int32_t>(kMaxSpatial));
}
[[nodiscard]] constexpr ArgumentWord int8_rule(const char* field) noexcept {
    return in_range(field, INT8_MIN, INT8_MAX);
}
// Minus a zero point, like the offsets of operands that are read.
[[nodiscard]] constexpr ArgumentWord negated_int8_rule(const char* field) noexcept {
    return in_range(field, -INT8_MAX, -INT8_MIN);
}
// For any integer type up to 16 bits.
[[nodiscard]] constexpr ArgumentWord int16_rule(const char* field) noexcept {
    return in_range(field, INT16_MIN, INT16_MAX);
}
[[nodiscard]] constexpr ArgumentWord negated_int16_rule(const char* field) noexcept {
    return in_range(field, -INT16_MAX, -INT16_MIN);
}
// Requires a separate check that the type is one of the kernel's.
[[nodiscard]] constexpr ArgumentWord type_rule(const char* field = "type") noexcept {
    return in_range(field, static_cast<std::int32_t>(kTypeInt8), static_cast<std::int32_t>(kTypeInt32));
}
[[nodiscard]] constexpr ArgumentWord layout_rule() noexcept {
    return in_range("weights_layout", static_cast<std::int32_t>(WeightsLayout::kPlain),
                    static_cast<std::int32_t>(WeightsLayout::kMve));
}
// An operation's enumerators from the first to the last.
template <typename Op>
[[nodiscard]] constexpr ArgumentWord op_rule(Op first, Op last) noexcept {
    return in_range("op", static_cast<std::int32_t>(first), static_cast<std::int32_t>(last));
}

inline constexpr std::int32_t kMaxLeftShift = 22;           // (int8 + offset) << 22 just fits
inline constexpr std::int32_t kMaxPadded = INT32_MAX / 4;   // so that before + size + after fits
inline constexpr std::int32_t kMaxPadElement = 4;           // the bytes of a word
inline constexpr std::int32_t kMaxNormalizedDepth = 32768;  // squares below 2^16 that cannot overflow their sum
inline constexpr std::int32_t kMaxSoftmaxDepth = 4095;      // terms of at most 1 that cannot overflow the row's sum
inline constexpr std::int32_t kMaxInputShift = 30;
inline constexpr std::int32_t kMaxElementBytes = 4;
// Scales in single precision, as bits: from 2^-124, so that subnormal numbers are below a quarter of it, to the largest
// number.
inline constexpr std::int32_t kLeastScaleBits = 0x0180'0000;
inline constexpr std::int32_t kLargestScaleBits = 0x7F7F'FFFF;

// No structure has words by default.
template <typename Arguments>
extern const ArgumentWords<Arguments> kWords;

// The ranges, as a kernel checks them.
template <typename Arguments>
[[nodiscard]] constexpr ArgumentRules<Arguments> rules_of() noexcept {
    ArgumentRules<Arguments> rules{};
    for (std::size_t i = 0U; i < rules.size(); ++i) {
        rules[i] = kWords<Arguments>[i].rule;
    }
    return rules;
}

// Bit i is set if argument word i has the role.
template <typename Arguments>
[[nodiscard]] constexpr std::uint64_t words_of(ArgumentRole role) noexcept {
    std::uint64_t words = 0U;
    for (std::size_t i = 0U; i < kWords<Arguments>.size(); ++i) {
        words |= (kWords<Arguments>[i].role == role) ? (std::uint64_t{1} << i) : 0U;
    }
    return words;
}

}  // namespace pianola::refdev
