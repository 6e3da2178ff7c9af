// One core only: there is nobody to give way to.
#include "tests/baremetal/probed/preemption.h"

namespace pianola::baremetal {

void start_preemption(std::uint32_t /*seed*/) noexcept {}

bool may_sleep() noexcept {
    return true;
}

std::uint32_t preemptions() noexcept {
    return 0U;
}

void may_give_way(std::uint32_t /*queue*/) noexcept {}

}  // namespace pianola::baremetal
