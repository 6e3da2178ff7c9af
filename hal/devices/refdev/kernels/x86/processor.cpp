// Features of the processor that runs this program. A separate file, so that tests and counts can replace it.
#include "hal/devices/refdev/kernels/x86/vector_loops.h"

namespace pianola::refdev {

bool has_avx2() noexcept {
    return __builtin_cpu_supports("avx2");
}

}  // namespace pianola::refdev
