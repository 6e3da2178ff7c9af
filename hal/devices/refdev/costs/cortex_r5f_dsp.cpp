#include "hal/devices/refdev/costs/core_costs.h"

namespace pianola::refdev {
namespace {

constexpr std::array kKernels{
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_COST(kernel, version, ...) core_costs(KernelId::kernel, version, {__VA_ARGS__}),
#include "hal/devices/refdev/costs/cortex_r5f_dsp.inc"  // NOLINT(misra-text-19.0.3): DEV-004
#undef PIANOLA_COST
};
static_assert(are_complete(kKernels));
constexpr std::array<KernelCosts, kKernels.size()> kRows{rows_of(kKernels)};

constexpr CommandCosts kCommands{0U,           261U, 239U, 263U, {612U, 594U}, {457U, 462U}, {606U, 594U},
                                 {600U, 594U}, 491U, 362U, 380U, 343U,         false};

}  // namespace

const CostModel kCortexR5fDspCosts{5U, "cortex-r5f.dsp", CostKind::kUpperBound, Loops::kDsp, kCommands, kRows};

}  // namespace pianola::refdev
