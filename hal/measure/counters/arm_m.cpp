// The board's clock, which is the system tick's. A port for silicon reads DWT_CYCCNT here, which QEMU does not have.
#include "hal/boards/common/board.h"
#include "hal/measure/counter.h"

namespace pianola::measure {

const char* counter_unit() noexcept {
    return "us";
}

std::uint32_t counter() noexcept {
    return static_cast<std::uint32_t>(board::now_us());
}

}  // namespace pianola::measure
