// On virt_rv32 the timer of each hart preempts it, anywhere: see hal/virt_rv32/preemption.h.
#include "hal/virt_rv32/preemption.h"
#include "tests/baremetal/probed/preemption.h"

namespace pianola::baremetal {
namespace {

constexpr std::uint32_t kLongestIntervalTicks = 100U;

}  // namespace

void start_preemption(std::uint32_t seed) noexcept {
    virt_rv32::start_preemption(seed, kLongestIntervalTicks);
}

void stop_preemption() noexcept {
    virt_rv32::stop_preemption();
}

std::uint32_t preemptions() noexcept {
    return virt_rv32::pauses();
}

void may_give_way(std::uint32_t /*queue*/) noexcept {}

}  // namespace pianola::baremetal
