#include "hal/devices/refdev/costs/cost_model.h"

namespace pianola::refdev {
namespace {

constexpr std::uint32_t kCommandCycles = 16U;  // fetch and decode
constexpr std::uint32_t kTransferSetupCycles = 64U;
constexpr std::uint32_t kPerKibibyte = 128U;  // 8 bytes a cycle
constexpr MoveCosts kMove{kCommandCycles + kTransferSetupCycles, kPerKibibyte};

constexpr CommandCosts kCommands{kCommandCycles,
                                 0U,
                                 kCommandCycles,
                                 kCommandCycles,
                                 kMove,
                                 kMove,
                                 kMove,
                                 kMove,
                                 kCommandCycles,
                                 kCommandCycles,
                                 kCommandCycles,
                                 kCommandCycles,
                                 true};

}  // namespace

// docs/reference/device.md gives the reasons.
const CostModel kVirtualCosts{1U, "virtual", CostKind::kExact, Loops::kPortable, kCommands, {}};

}  // namespace pianola::refdev
