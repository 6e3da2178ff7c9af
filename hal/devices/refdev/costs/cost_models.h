// The cost models of this library, for the host: a target's image names its own.
#pragma once

#include <cstdint>

#include "hal/devices/refdev/costs/cost_model.h"
#include "pianola/span.h"

namespace pianola::refdev {

struct NamedCostModel {
    const CostModel* model;
    const char* symbol;  // of the object, in namespace pianola::refdev
};

// In the order of their numbers.
[[nodiscard]] Span<const NamedCostModel> cost_models() noexcept;

// nullptr: there is none of this number.
[[nodiscard]] const CostModel* find_cost_model(std::uint32_t number) noexcept;

// The model of a device; the virtual one if there is none of its number.
[[nodiscard]] inline const CostModel& costs_of(const DeviceDescription& device) noexcept {
    const CostModel* const found = find_cost_model(device.cost_model);
    return (found != nullptr) ? *found : kVirtualCosts;
}

}  // namespace pianola::refdev
