// A rule and a field of what is checked, as one number. There are many calls, and the numbers that broke the rule then
// fit in registers too. `Field` is the enumeration of the room that refuses.
#pragma once

#include "pianola/rule.h"
#include "runtime/verdict/refusal.h"

namespace pianola {

enum class Cause : std::uint16_t {};

inline constexpr std::uint32_t kCauseFieldShift = 8U;
static_assert(static_cast<std::uint32_t>(Rule::kRuleCount) <= (1U << kCauseFieldShift));

template <typename Field>
[[nodiscard]] constexpr Cause cause_of(Rule rule, Field field) noexcept {
    static_assert(static_cast<std::uint32_t>(Field::kCount) <= (1U << kCauseFieldShift));
    return static_cast<Cause>((static_cast<std::uint32_t>(field) << kCauseFieldShift) |
                              static_cast<std::uint32_t>(rule));
}
[[nodiscard]] constexpr Rule rule_of(Cause cause) noexcept {
    return static_cast<Rule>(static_cast<std::uint32_t>(cause) & ((1U << kCauseFieldShift) - 1U));
}
template <typename Field>
[[nodiscard]] constexpr Field field_of(Cause cause) noexcept {
    return static_cast<Field>(static_cast<std::uint32_t>(cause) >> kCauseFieldShift);
}

}  // namespace pianola
