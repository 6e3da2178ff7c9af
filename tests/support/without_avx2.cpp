// For programs that are to use SSE2 where the processor has AVX2, too: what
// hal/devices/refdev/kernels/x86/processor.cpp defines. A linker takes that from the library of the kernels only where
// a program does not have it itself.
#include "hal/devices/refdev/kernels/x86/vector_loops.h"

namespace pianola::refdev {

bool has_avx2() noexcept {
    return false;
}

}  // namespace pianola::refdev
