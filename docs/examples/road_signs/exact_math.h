// Elementary functions with the same bits everywhere.
//
// The libm of each system rounds exp, log, sin and cos in its own way, and one different bit in training is a different
// model. These use only + - * / and integer arithmetic, which IEEE 754 fixes, so they agree wherever the compiler keeps
// its hands off (-ffp-contract=off, no -ffast-math). Relative error about 1e-15 (sin and cos: absolute).
#pragma once

#include <cstdint>

namespace pianola::sample {

inline constexpr double kPi = 3.14159265358979323846;

// Arguments beyond +-700 count as +-700; never infinite, never 0.
[[nodiscard]] double exp_of(double x) noexcept;
// x is positive and normal.
[[nodiscard]] double log_of(double x) noexcept;
// |x| at most 1e5.
[[nodiscard]] double sin_of(double x) noexcept;
[[nodiscard]] double cos_of(double x) noexcept;

// Nearest integer, halves away from zero; |x| below 2^62.
[[nodiscard]] std::int64_t round_half_away(double x) noexcept;

}  // namespace pianola::sample
