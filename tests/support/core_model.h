// Bounds of a core that no device has: in tests, beside the exact costs of the virtual device. Free of the host.
#pragma once

#include "hal/devices/refdev/costs/cost_model.h"
#include "hal/devices/refdev/device_spec.h"

namespace pianola::test {

// Kernels take as many instructions as cycles of the virtual device, each command 1000 more. A write takes 1 for each
// byte.
inline constexpr refdev::CommandCosts kCoreCommands{1000U,      0U,  40U, 5U, {10U, 0U}, {10U, 0U}, {100U, 1024U},
                                                    {200U, 0U}, 50U, 0U,  0U, 3U,        false};
inline constexpr refdev::CostModel kCoreModel{77U,           "test", CostKind::kUpperBound, refdev::Loops::kPortable,
                                              kCoreCommands, {}};

// 1.5 MHz and 1.5 cycles for an instruction: 1 us for each.
[[nodiscard]] inline refdev::DeviceSpec core_device() noexcept {
    refdev::DeviceSpec spec;
    spec.clock_khz = 1000U;
    spec.core_khz = 1500U;
    spec.millicycles_per_instruction = 1500U;
    spec.cost_model = &kCoreModel;
    return spec;
}

}  // namespace pianola::test
