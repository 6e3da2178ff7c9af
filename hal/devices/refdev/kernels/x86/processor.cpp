// What the processor has that runs this program. Apart, so that tests and counts can say otherwise.
#include "hal/devices/refdev/kernels/x86/vector_loops.h"

namespace pianola::refdev {

bool has_avx2() noexcept {
    return __builtin_cpu_supports("avx2");
}

}  // namespace pianola::refdev
