#include "hal/arch/arm_r/counters.h"
#include "hal/measure/counter.h"

namespace pianola::measure {

const char* counter_unit() noexcept {
    return "cycles";
}

std::uint32_t counter() noexcept {
    return arm_r::cycles();
}

}  // namespace pianola::measure
