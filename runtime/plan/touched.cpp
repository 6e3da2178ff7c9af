// The last accesses to bytes.
#include "runtime/plan/proof.h"

namespace pianola {

void PlanWorkspace::Touched::clear() noexcept {
    reads.clear();
    writes.clear();
}

std::uint32_t PlanWorkspace::Touched::last_conflict(const ByteRun& run, std::uint32_t except) const noexcept {
    const std::uint32_t last_write = writes.largest_tag(run.address, run.size_bytes, except);
    if (run.access != Access::kWrite) {
        return last_write;
    }
    const std::uint32_t last_read = reads.largest_tag(run.address, run.size_bytes, except);
    return (last_read > last_write) ? last_read : last_write;
}

IntervalMap& PlanWorkspace::Touched::map_of(Access access) noexcept {
    return (access == Access::kWrite) ? writes : reads;
}

}  // namespace pianola
