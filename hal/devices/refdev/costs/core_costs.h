// What the tables of the core models share.
#pragma once

#include <array>
#include <cstddef>

#include "hal/devices/refdev/costs/cost_model.h"

namespace pianola::refdev {

struct CoreCosts {
    KernelId kernel{KernelId::kUnspecified};
    KernelCosts costs{};
};

[[nodiscard]] constexpr CoreCosts core_costs(KernelId kernel, std::uint32_t version,
                                             const std::array<std::uint32_t, kWorkTerms>& per_turn) noexcept {
    return {kernel, {version, per_turn}};
}

// One row for each kernel, in the order of the ids, with coefficients below the limit.
template <std::size_t kCount>
[[nodiscard]] constexpr bool are_complete(const std::array<CoreCosts, kCount>& rows) noexcept {
    bool complete = true;
    for (std::size_t i = 0U; i < kCount; ++i) {
        complete = complete && (static_cast<std::size_t>(rows[i].kernel) == (i + 1U));
        for (const std::uint32_t each : rows[i].costs.per_turn) {
            complete = complete && (each < kMaxCoefficient);
        }
    }
    return complete && (kCount == kKernelIds.size());
}

template <std::size_t kCount>
[[nodiscard]] constexpr std::array<KernelCosts, kCount> rows_of(const std::array<CoreCosts, kCount>& rows) noexcept {
    std::array<KernelCosts, kCount> costs{};
    for (std::size_t i = 0U; i < kCount; ++i) {
        costs[i] = rows[i].costs;
    }
    return costs;
}

}  // namespace pianola::refdev
