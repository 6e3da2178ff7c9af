#include "hal/devices/refdev/costs/core_costs.h"

namespace pianola::refdev {
namespace {

constexpr std::array kKernels{
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_COST(kernel, version, ...) core_costs(KernelId::kernel, version, {__VA_ARGS__}),
#include "hal/devices/refdev/costs/cortex_m7_dsp.inc"  // NOLINT(misra-text-19.0.3): DEV-004
#undef PIANOLA_COST
};
static_assert(are_complete(kKernels));
constexpr std::array<KernelCosts, kKernels.size()> kRows{rows_of(kKernels)};

constexpr CommandCosts kCommands{0U,           260U, 231U, 253U, {572U, 561U}, {449U, 462U}, {590U, 561U},
                                 {585U, 561U}, 482U, 348U, 366U, 335U,         false};

}  // namespace

const CostModel kCortexM7DspCosts{2U, "cortex-m7.dsp", CostKind::kUpperBound, Loops::kDsp, kCommands, kRows};

}  // namespace pianola::refdev
