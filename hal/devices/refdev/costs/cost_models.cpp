#include "hal/devices/refdev/costs/cost_models.h"

namespace pianola::refdev {
namespace {

constexpr std::array<NamedCostModel, 6U> kModels{{
    {&kVirtualCosts, "kVirtualCosts"},
    {&kCortexM7DspCosts, "kCortexM7DspCosts"},
    {&kCortexM55MveCosts, "kCortexM55MveCosts"},
    {&kCortexM33DspCosts, "kCortexM33DspCosts"},
    {&kCortexR5fDspCosts, "kCortexR5fDspCosts"},
    {&kRv32imPortableCosts, "kRv32imPortableCosts"},
}};

}  // namespace

Span<const NamedCostModel> cost_models() noexcept {
    return kModels;
}

const CostModel* find_cost_model(std::uint32_t number) noexcept {
    for (const NamedCostModel& each : kModels) {
        if (each.model->number == number) {
            return each.model;
        }
    }
    return nullptr;
}

}  // namespace pianola::refdev
