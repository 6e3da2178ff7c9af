#include "docs/examples/road_signs/exact_math.h"

#include <cstring>

namespace pianola::sample {

namespace {

constexpr std::int64_t kExponentBias = 1023;
constexpr unsigned kMantissaBits = 52U;

double two_to(std::int64_t exponent) noexcept {
    const std::uint64_t bits = static_cast<std::uint64_t>(exponent + kExponentBias) << kMantissaBits;
    double result = 0.0;
    std::memcpy(&result, &bits, sizeof(result));
    return result;
}

// Both parts sum to the constant; the high part has so few bits that a product with a small integer is exact.
constexpr double kLn2High = 6.93147180369123816490e-01;
constexpr double kLn2Low = 1.90821492927058770002e-10;
constexpr double kHalfPiHigh = 1.57079632673412561417e+00;
constexpr double kHalfPiLow = 6.07710050650619224932e-11;

// Taylor series on |r| <= pi / 4.
double sin_kernel(double r) noexcept {
    const double r2 = r * r;
    double sum = 0.0;
    for (int n = 19; n >= 3; n -= 2) {
        sum = (1.0 - sum) * r2 / static_cast<double>(n * (n - 1));
    }
    return r * (1.0 - sum);
}

double cos_kernel(double r) noexcept {
    const double r2 = r * r;
    double sum = 0.0;
    for (int n = 18; n >= 2; n -= 2) {
        sum = (1.0 - sum) * r2 / static_cast<double>(n * (n - 1));
    }
    return 1.0 - sum;
}

// sin(x + quarter_turns * pi / 2).
double sin_shifted(double x, std::int64_t quarter_turns) noexcept {
    const std::int64_t k = round_half_away(x / (kPi / 2.0));
    const double r = (x - (static_cast<double>(k) * kHalfPiHigh)) - (static_cast<double>(k) * kHalfPiLow);
    const std::uint64_t quadrant = static_cast<std::uint64_t>(k + quarter_turns) & 3U;
    const double magnitude = ((quadrant & 1U) == 0U) ? sin_kernel(r) : cos_kernel(r);
    return ((quadrant & 2U) == 0U) ? magnitude : -magnitude;
}

}  // namespace

double exp_of(double x) noexcept {
    constexpr double kLimit = 700.0;
    const double clamped = (x > kLimit) ? kLimit : ((x < -kLimit) ? -kLimit : x);
    const std::int64_t k = round_half_away(clamped / (kLn2High + kLn2Low));
    const double r = (clamped - (static_cast<double>(k) * kLn2High)) - (static_cast<double>(k) * kLn2Low);
    double sum = 1.0;
    for (int n = 14; n >= 1; --n) {
        sum = 1.0 + ((r * sum) / static_cast<double>(n));
    }
    return sum * two_to(k);
}

double log_of(double x) noexcept {
    std::uint64_t bits = 0U;
    std::memcpy(&bits, &x, sizeof(bits));
    std::int64_t exponent = static_cast<std::int64_t>((bits >> kMantissaBits) & 0x7FFU) - kExponentBias;
    bits = (bits & 0x000F'FFFF'FFFF'FFFFU) | (static_cast<std::uint64_t>(kExponentBias) << kMantissaBits);
    double mantissa = 0.0;
    std::memcpy(&mantissa, &bits, sizeof(mantissa));
    if (mantissa > 1.4142135623730951) {
        mantissa *= 0.5;
        ++exponent;
    }
    // log(m) = 2 artanh((m - 1) / (m + 1)).
    const double s = (mantissa - 1.0) / (mantissa + 1.0);
    const double s2 = s * s;
    double sum = 0.0;
    for (int n = 23; n >= 1; n -= 2) {
        sum = (sum * s2) + (1.0 / static_cast<double>(n));
    }
    const auto e = static_cast<double>(exponent);
    return (e * kLn2High) + ((2.0 * s * sum) + (e * kLn2Low));
}

double sin_of(double x) noexcept {
    return sin_shifted(x, 0);
}

double cos_of(double x) noexcept {
    return sin_shifted(x, 1);
}

std::int64_t round_half_away(double x) noexcept {
    const auto whole = static_cast<std::int64_t>(x);
    const double rest = x - static_cast<double>(whole);
    if (rest >= 0.5) {
        return whole + 1;
    }
    return (rest <= -0.5) ? whole - 1 : whole;
}

}  // namespace pianola::sample
