// Addition on hosts: whole vectors, then the remaining elements.
#include "hal/devices/refdev/kernels/x86/vector_loops.h"

namespace pianola::refdev {

void add_elements(const AddPlan& plan, const std::int8_t* input1, const std::int8_t* input2, std::int8_t* output,
                  std::uint32_t count) noexcept {
    const std::uint32_t done = has_avx2() ? avx2::add_vectors(plan, input1, input2, output, count)
                                          : sse2::add_vectors(plan, input1, input2, output, count);
    scalar::add_elements(plan, input1 + done, input2 + done, output + done, count - done);
}

}  // namespace pianola::refdev
