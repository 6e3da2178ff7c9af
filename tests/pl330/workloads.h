// Binaries for a PL330, captured from programs against the host API.
//
// The engine is that of zynq_a9.
#pragma once

#include <cstdint>
#include <vector>

#include "capture_host/capture/lowering/pl330.h"
#include "hal/boards/zynq_a9/engine.h"
#include "pianola/device.h"
#include "pianola_host/device.h"

namespace pianola::test {

// A simulated device with the engine's memories and queues, for programs that are lowered afterwards.
[[nodiscard]] host::DeviceOptions engine_options();
[[nodiscard]] DeviceDescription reference_of_engine();  // what that device says of itself

// exchange.h. Queue 0 brings the input, gathers its first half in on-chip memory and merges; queue 1 takes the second
// half and spreads what was gathered; three events, one of them from queue 1 to queue 0.
[[nodiscard]] std::vector<std::uint8_t> exchange_for_reference();
[[nodiscard]] pl330::Lowered exchange();
// Without the event that tells queue 1 that the first half has been gathered: record and wait.
[[nodiscard]] pl330::Lowered exchange_without_event();

inline constexpr std::uint32_t kGatheredEvent = 1U;

}  // namespace pianola::test
