#include "hal/devices/refdev/costs/core_costs.h"

namespace pianola::refdev {
namespace {

constexpr std::array kKernels{
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_COST(kernel, version, ...) core_costs(KernelId::kernel, version, {__VA_ARGS__}),
#include "hal/devices/refdev/costs/cortex_m55_mve.inc"  // NOLINT(misra-text-19.0.3): DEV-004
#undef PIANOLA_COST
};
static_assert(are_complete(kKernels));
constexpr std::array<KernelCosts, kKernels.size()> kRows{rows_of(kKernels)};

constexpr CommandCosts kCommands{0U,           266U, 225U, 246U, {568U, 594U}, {442U, 462U}, {577U, 594U},
                                 {578U, 594U}, 461U, 329U, 346U, 322U,         false};

}  // namespace

const CostModel kCortexM55MveCosts{3U, "cortex-m55.mve", CostKind::kUpperBound, Loops::kMve, kCommands, kRows};

}  // namespace pianola::refdev
