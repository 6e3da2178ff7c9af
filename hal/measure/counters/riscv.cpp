#include "hal/arch/riscv/instructions.h"
#include "hal/measure/counter.h"

namespace pianola::measure {

const char* counter_unit() noexcept {
    return "cycles";
}

std::uint32_t counter() noexcept {
    return riscv::Csr<0xB00U>::read();  // mcycle
}

}  // namespace pianola::measure
