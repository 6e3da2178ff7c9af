// Addition on cores with the 16-bit SIMD instructions: plain C++.
#include "hal/devices/refdev/kernels/add_plan.h"

namespace pianola::refdev {

void add_elements(const AddPlan& plan, const std::int8_t* input1, const std::int8_t* input2, std::int8_t* output,
                  std::uint32_t count) noexcept {
    scalar::add_elements(plan, input1, input2, output, count);
}

}  // namespace pianola::refdev
