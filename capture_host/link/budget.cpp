#include "capture_host/link/budget.h"

#include <fmt/format.h>

#include <algorithm>

#include "capture_host/link/link.h"
#include "hal/devices/device_numbers.h"

namespace pianola::capture {
namespace {

constexpr std::uint64_t kCyclesPerUsDivisor = 1000U;  // clock_khz / 1000 cycles make a microsecond
// Where nobody says otherwise: four times what the commands take, and never less than a usual cycle of an ECU's tasks,
// because a result counts when the ECU sees it.
constexpr std::uint64_t kDeadlineFactor = 4U;
constexpr std::uint64_t kShortestDeadlineUs = 10'000U;

}  // namespace

std::uint32_t deadline_us(ScriptKind script, std::uint64_t cycles, std::uint32_t clock_khz, std::uint32_t wanted_us) {
    const std::uint64_t us = ((cycles * kCyclesPerUsDivisor) + (clock_khz - 1U)) / clock_khz;
    if (wanted_us == 0U) {
        return static_cast<std::uint32_t>(std::max(us * kDeadlineFactor, kShortestDeadlineUs));
    }
    if (wanted_us < us) {
        throw DeadlineError{script,
                            fmt::format("the deadline is too short: {} takes {} us, {} are wanted",
                                        (script == ScriptKind::kSetup) ? "the set-up" : "a step", us, wanted_us)};
    }
    return wanted_us;
}

ManifestTarget make_target(const DeviceDescription& device) {
    ManifestTarget target;
    target.device_family = device.family;
    target.kernel_library = device.kernel_library;
    copy_numbers(device, target);
    return target;
}

}  // namespace pianola::capture
