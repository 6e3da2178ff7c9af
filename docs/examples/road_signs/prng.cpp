#include "docs/examples/road_signs/prng.h"

namespace pianola::sample {

namespace {

constexpr std::uint64_t kGoldenGamma = 0x9E37'79B9'7F4A'7C15U;

std::uint64_t mix(std::uint64_t value) noexcept {
    value = (value ^ (value >> 30U)) * 0xBF58'476D'1CE4'E5B9U;
    value = (value ^ (value >> 27U)) * 0x94D0'49BB'1331'11EBU;
    return value ^ (value >> 31U);
}

}  // namespace

Prng::Prng(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) noexcept
    : state_{mix(mix(mix(seed + kGoldenGamma) + stream) + index)} {}

std::uint64_t Prng::next() noexcept {
    state_ += kGoldenGamma;
    return mix(state_);
}

double Prng::unit() noexcept {
    constexpr double kUlp = 1.0 / 9007199254740992.0;  // 2^-53
    return static_cast<double>(next() >> 11U) * kUlp;
}

double Prng::uniform(double low, double high) noexcept {
    return low + ((high - low) * unit());
}

std::uint32_t Prng::below(std::uint32_t count) noexcept {
    return static_cast<std::uint32_t>(((next() >> 32U) * count) >> 32U);
}

bool Prng::chance(double probability) noexcept {
    return unit() < probability;
}

double Prng::normal() noexcept {
    // Sum of four uniform 16-bit numbers (Irwin-Hall), brought to mean 0 and variance 1.
    constexpr double kMean = 2.0 * 65535.0;
    constexpr double kInverseDeviation = 1.7320508075688772 / 65536.0;  // sqrt(12 / 4) / 2^16
    const std::uint64_t bits = next();
    const std::uint64_t sum =
        (bits & 0xFFFFU) + ((bits >> 16U) & 0xFFFFU) + ((bits >> 32U) & 0xFFFFU) + ((bits >> 48U) & 0xFFFFU);
    return (static_cast<double>(sum) - kMean) * kInverseDeviation;
}

}  // namespace pianola::sample
