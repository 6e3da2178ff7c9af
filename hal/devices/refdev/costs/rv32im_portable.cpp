#include "hal/devices/refdev/costs/core_costs.h"

namespace pianola::refdev {
namespace {

constexpr std::array kKernels{
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_COST(kernel, version, ...) core_costs(KernelId::kernel, version, {__VA_ARGS__}),
#include "hal/devices/refdev/costs/rv32im_portable.inc"  // NOLINT(misra-text-19.0.3): DEV-004
#undef PIANOLA_COST
};
static_assert(are_complete(kKernels));
constexpr std::array<KernelCosts, kKernels.size()> kRows{rows_of(kKernels)};

constexpr CommandCosts kCommands{0U,   1192U, 263U, 290U, {518U, 6329U}, {416U, 4219U}, {618U, 6329U}, {615U, 6329U},
                                 524U, 432U,  430U, 400U, false};

}  // namespace

const CostModel kRv32imPortableCosts{6U, "rv32im.portable", CostKind::kUpperBound, Loops::kPortable, kCommands, kRows};

}  // namespace pianola::refdev
