// What the cases of PlainLayers are made with: where operands lie, launches, comparisons.
#pragma once

#include <array>
#include <cstring>

#include "tests/kernels/plain_layers.h"
#include "tests/kernels/published.h"

namespace pianola::refdev {

inline constexpr std::uint32_t kBaseAddress = 0x2000'0000U;
inline constexpr std::uint32_t kInputAt = 0U;
inline constexpr std::uint32_t kFilterAt = 0x5000U;
inline constexpr std::uint32_t kParametersAt = 0xB000U;
inline constexpr std::uint32_t kOutputAt = 0xC000U;
inline constexpr std::uint32_t kPackedFilterAt = 0x1'0000U;
inline constexpr std::uint32_t kPackedParametersAt = 0x2'5000U;
inline constexpr std::uint32_t kOverAt = 0x2'6000U;  // of launches whose output overlaps the input
inline constexpr std::uint32_t kOverBytes = kPlainLayersBytes - kOverAt;
inline constexpr std::uint32_t kGuardBytes = 32U;
inline constexpr std::uint8_t kGuard = 0xA5U;

template <typename Arguments>
bool PlainLayers::run(KernelId id, const Arguments& arguments) noexcept {
    std::array<std::uint32_t, kArgumentWords<Arguments>> words{};
    std::memcpy(words.data(), &arguments, sizeof(arguments));
    std::memset(memory_ + kOutputAt, kGuard, kPackedFilterAt - kOutputAt);
    const Kernel* const kernel = find_kernel(static_cast<std::uint32_t>(id));
    const bool is_run =
        (kernel != nullptr) && is_ok(refdev::run(*kernel, WordSpan{words.data(), words.size()}, device_));
    result_.differences += is_run ? 0U : 1U;
    return is_run;
}

template <typename Arguments>
void PlainLayers::expect(const Arguments& a, std::uint32_t index, std::uint32_t channel, std::int32_t sum) noexcept {
    const ChannelParameters p = parameters(channel);
    const std::int8_t expected =
        published_element(sum, p.bias, p.multiplier, p.shift, a.output_offset, a.activation_min, a.activation_max);
    result_.elements += 1U;
    result_.differences += (element(kOutputAt + index) == expected) ? 0U : 1U;
}

// A multiplier of 1/2 and a bias that makes of the sum an odd number of halves, small enough for no clamp.
template <typename Arguments>
void PlainLayers::aim_at_halves(const Arguments& a, std::uint32_t channel, std::int32_t sum) noexcept {
    const std::uint32_t bits = pick(1U, 20U);
    const std::int32_t odd = (2 * (static_cast<std::int32_t>(pick(0U, 120U)) - 100)) + 1;
    const auto total = static_cast<std::int32_t>(static_cast<std::uint32_t>(odd) << bits);
    const ChannelParameters p{total - sum, 1 << 30, -static_cast<std::int32_t>(bits)};
    store_parameters(channel, p);
    const std::int64_t exact = published_rescale(total, p.multiplier, p.shift) + a.output_offset;
    const std::int64_t upwards = halves_upwards(total, p.multiplier, p.shift) + a.output_offset;
    const bool is_seen = (exact > a.activation_min) && (exact < a.activation_max);
    result_.ties += (is_seen && (exact != upwards)) ? 1U : 0U;
}

}  // namespace pianola::refdev
