// Replaces plan/strides.cpp in a runtime that treats extents of several runs as those of too many. Their hull
// represents them: all written bytes must be permitted, what is read of it written, and none of it counts as written
// afterwards.
#include "runtime/plan/runs.h"

namespace pianola::proof {

void Runs::go_on(const Extent& extent) noexcept {
    moved_bytes_ = command_.moved_bytes[begun_];
    is_exact_ = (extent.inner.count == 1U) && (extent.outer.count == 1U);
    run_.size_bytes = static_cast<std::uint32_t>(hull_bytes(extent)) + moved_bytes_;
}

}  // namespace pianola::proof
