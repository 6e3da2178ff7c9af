// Rules of the argument words: the accepted range and the role of each.
//
// arguments.inc names a rule for each word. From it come the ranges that a kernel's describe() checks, the names in its
// refusals, and Kernel::address_words and Kernel::value_words of the ROM (kernel.h defines these). Roles do not affect
// launches; the tests check them for every kernel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/fixed_point.h"
#include "hal/devices/refdev/kernels/launch_check.h"

namespace pianola::refdev {

enum class ArgumentRole : std::uint8_t { kOther, kAddress, kValue };

struct WordRule {
    std::uint32_t lowest;
    std::uint32_t span;
    ArgumentRole role;
};

struct ArgumentWord {
    ArgumentRule rule;
    ArgumentRole role;
};

template <typename Arguments>
using ArgumentWords = std::array<ArgumentWord, kArgumentWords<Arguments>>;

[[nodiscard]] constexpr WordRule in_range(std::int32_t lowest, std::int32_t highest) noexcept {
    return {static_cast<std::uint32_t>(lowest),
            static_cast<std::uint32_t>(highest) - static_cast<std::uint32_t>(lowest), ArgumentRole::kOther};
}
// Of unsigned numbers, or of enumerators.
template <typename First, typename Last>
[[nodiscard]] constexpr WordRule from_to(First first, Last last) noexcept {
    return in_range(static_cast<std::int32_t>(first), static_cast<std::int32_t>(last));
}
[[nodiscard]] constexpr WordRule value(const WordRule& rule) noexcept {
    return {rule.lowest, rule.span, ArgumentRole::kValue};
}
[[nodiscard]] constexpr ArgumentWord word(const char* name, const WordRule& rule) noexcept {
    return {{name, rule.lowest, rule.span}, rule.role};
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
inline constexpr std::int32_t kMaxSoftmaxInt16Depth = 65535;  // terms below 1 that cannot overflow the row's sum
inline constexpr std::int32_t kMaxSigmoidShift = 31;
inline constexpr std::int32_t kMaxCellMultiplier = 0xC000;  // times a number of 16 bits, it fits in 32
inline constexpr std::int32_t kMaxCellShift = 15;

inline constexpr WordRule kAny{0U, UINT32_MAX, ArgumentRole::kOther};
inline constexpr WordRule kAddress{0U, UINT32_MAX, ArgumentRole::kAddress};
inline constexpr WordRule kZero = in_range(0, 0);
inline constexpr WordRule kFlag = in_range(0, 1);
inline constexpr WordRule kCount = in_range(1, INT32_MAX);
inline constexpr WordRule kSize = in_range(0, INT32_MAX);
inline constexpr WordRule kTaps = from_to(1U, kMaxTaps);
inline constexpr WordRule kSpatial = from_to(1U, kMaxSpatial);
inline constexpr WordRule kPadding = from_to(0U, kMaxSpatial);
inline constexpr WordRule kInt8 = in_range(INT8_MIN, INT8_MAX);
inline constexpr WordRule kInt16 = in_range(INT16_MIN, INT16_MAX);  // for any integer type up to 16 bits
// Minus a zero point, like the offsets of operands that are read.
inline constexpr WordRule kNegatedInt8 = in_range(-INT8_MAX, -INT8_MIN);
inline constexpr WordRule kNegatedInt16 = in_range(-INT16_MAX, -INT16_MIN);
inline constexpr WordRule kMultiplier = value(in_range(0, INT32_MAX));
inline constexpr WordRule kShift = value(in_range(kMinShift, kMaxShift));
inline constexpr WordRule kRightShift = value(in_range(kMinShift, 0));
inline constexpr WordRule kWideShift = value(in_range(kMinShift, kMaxWideShift));
inline constexpr WordRule kScaleBits = value(in_range(kLeastScaleBits, kLargestScaleBits));
// Requires a separate check that the type is one of the kernel's.
inline constexpr WordRule kType = from_to(kTypeInt8, kTypeInt32);
inline constexpr WordRule kLayout = from_to(WeightsLayout::kPlain, WeightsLayout::kMve);

inline constexpr std::array kGatherSegmentWords{word("segments.address", kAddress), word("segments.stride_bytes", kAny),
                                                word("segments.bytes", kSize)};
inline constexpr std::array kLstmGateScalesWords{
    word("gates.input_multiplier", kMultiplier), word("gates.input_shift", kShift),
    word("gates.hidden_multiplier", kMultiplier), word("gates.hidden_shift", kShift)};

// Collects the words of a structure, member by member.
template <typename Arguments>
class WordList {
  public:
    // `bytes`: the member's size.
    constexpr void add(const char* name, const WordRule& rule, std::size_t bytes) noexcept {
        add(name, std::array{word(name, rule)}, bytes);
    }
    template <std::size_t kGroup>
    constexpr void add(const char* /*name*/, const std::array<ArgumentWord, kGroup>& group,
                       std::size_t bytes) noexcept {
        for (std::size_t i = 0U; i < (bytes / sizeof(std::uint32_t)); ++i) {
            words_[count_] = group[i % kGroup];
            count_ += 1U;
        }
    }
    [[nodiscard]] constexpr ArgumentWords<Arguments> words() const noexcept { return words_; }

  private:
    ArgumentWords<Arguments> words_{};
    std::size_t count_{0U};
};

// The words of a structure; no structure has words by default.
template <typename Arguments>
[[nodiscard]] constexpr ArgumentWords<Arguments> list_words() noexcept;

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_ARGUMENTS(structure)                                                    \
    template <>                                                                         \
    [[nodiscard]] constexpr ArgumentWords<structure> list_words<structure>() noexcept { \
        using Arguments = structure;                                                    \
        WordList<Arguments> list;
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_WORD(type, member, name, rule) list.add(name, rule, sizeof(Arguments::member));
#define PIANOLA_ARGUMENTS_END \
    return list.words();      \
    }
#include "hal/devices/refdev/kernels/arguments.inc"  // NOLINT(misra-text-19.0.3): DEV-004
#undef PIANOLA_ARGUMENTS
#undef PIANOLA_WORD
#undef PIANOLA_ARGUMENTS_END

template <typename Arguments>
inline constexpr ArgumentWords<Arguments> kWords = list_words<Arguments>();

// Layers with int16 activations have the words of their int8 form, with offsets of 0, plain weights and activations in
// the range of int16.
template <typename Layer>
[[nodiscard]] constexpr ArgumentWords<Int16Layer<Layer>> int16_words() noexcept {
    ArgumentWords<Int16Layer<Layer>> words{};
    for (std::size_t i = 0U; i < kWords<Layer>.size(); ++i) {
        words[i] = kWords<Layer>[i];
    }
    words[word_of(offsetof(Layer, input_offset))] = word("input_offset", kZero);
    words[word_of(offsetof(Layer, output_offset))] = word("output_offset", kZero);
    if constexpr (std::is_same_v<Layer, FullyConnectedArguments>) {
        words[word_of(offsetof(Layer, filter_offset))] = word("filter_offset", kZero);
    }
    if constexpr (!std::is_same_v<Layer, DepthwiseConv2dArguments>) {
        words[word_of(offsetof(Layer, weights_layout))] = word("weights_layout", kZero);
    }
    words[word_of(offsetof(Layer, activation_min))] = word("activation_min", kInt16);
    words[word_of(offsetof(Layer, activation_max))] = word("activation_max", value(kInt16));
    words[words.size() - 1U] = word("sum_bytes", from_to(kNarrowSumBytes, kWideSumBytes));
    return words;
}

template <typename Layer>
inline constexpr ArgumentWords<Int16Layer<Layer>> kWords<Int16Layer<Layer>> = int16_words<Layer>();

// The ranges, as a kernel checks them.
template <typename Arguments>
[[nodiscard]] constexpr ArgumentRules<Arguments> rules_of() noexcept {
    ArgumentRules<Arguments> rules{};
    for (std::size_t i = 0U; i < rules.size(); ++i) {
        rules[i] = kWords<Arguments>[i].rule;
    }
    return rules;
}

template <typename Arguments>
inline constexpr ArgumentRules<Arguments> kRules = rules_of<Arguments>();

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
