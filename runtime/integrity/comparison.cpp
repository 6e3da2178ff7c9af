#include "runtime/integrity/comparison.h"

#include <utility>

#include "pianola/bytes.h"

namespace pianola {
namespace {

constexpr std::size_t kWordBytes = sizeof(std::uint32_t);

// Words come in pairs, which several cores load in one instruction.
[[gnu::always_inline]] inline void compare_pair(ByteSpan held, ByteSpan expected, std::size_t place,
                                                std::uint32_t& difference) noexcept {
    const std::uint32_t held_first = load_aligned_word(&held[place]);
    const std::uint32_t held_second = load_aligned_word(&held[place + kWordBytes]);
    const std::uint32_t expected_first = load_aligned_word(&expected[place]);
    const std::uint32_t expected_second = load_aligned_word(&expected[place + kWordBytes]);
    difference |= held_first ^ expected_first;
    difference |= held_second ^ expected_second;
}

template <std::size_t... kPairs>
[[gnu::always_inline]] inline void compare_pairs(ByteSpan held, ByteSpan expected, std::size_t place,
                                                 std::uint32_t& difference,
                                                 std::index_sequence<kPairs...> /*all*/) noexcept {
    // NOLINTNEXTLINE(pianola-misra-8.19.1): DEV-068
    (compare_pair(held, expected, place + (kPairs * 2U * kWordBytes), difference), ...);
}

}  // namespace

bool is_aligned(const std::uint8_t* place) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-005
    return (reinterpret_cast<std::uintptr_t>(place) % kWordBytes) == 0U;
}

bool are_equal(ByteSpan held, ByteSpan expected) noexcept {
    constexpr auto kPairs = std::make_index_sequence<kComparedBytes / (2U * kWordBytes)>{};
    std::uint32_t difference = 0U;
    std::size_t i = 0U;
    for (; (held.size() - i) >= kComparedBytes; i += kComparedBytes) {
        compare_pairs(held, expected, i, difference, kPairs);
    }
    for (; i < held.size(); ++i) {
        difference |= static_cast<std::uint32_t>(held[i]) ^ static_cast<std::uint32_t>(expected[i]);
    }
    return difference == 0U;
}

}  // namespace pianola
