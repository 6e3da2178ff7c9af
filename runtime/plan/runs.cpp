// Runs of bytes, and the last accesses to bytes.
#include "runtime/plan/runs.h"

namespace pianola::proof {

TraceCommand::TraceCommand() noexcept = default;

Runs::Runs(const TraceCommand& command) noexcept : command_{command}, extents_{command.decoded.extents.view()} {}

bool Runs::next() noexcept {
    if (left_ != 0U) {
        go_on(extents_[begun_ - 1U]);
        return true;
    }
    if (begun_ == extents_.size()) {
        return false;
    }
    const Extent& extent = extents_[begun_];
    run_ = ByteRun{extent.address, extent.size_bytes, extent.access, extent.field};
    moved_bytes_ = 0U;
    is_exact_ = true;
    // The usual extent costs no more than this.
    if ((extent.inner.count != 1U) || (extent.outer.count != 1U) || (command_.moved_bytes[begun_] != 0U)) {
        go_on(extent);
    }
    begun_ += 1U;
    return true;
}

ByteRun Runs::certain() const noexcept {
    const std::uint32_t size_bytes = run_.size_bytes - moved_bytes_;  // at one value
    return ByteRun{run_.address + moved_bytes_,
                   (is_exact_ && (size_bytes > moved_bytes_)) ? (size_bytes - moved_bytes_) : 0U, run_.access,
                   run_.field};
}

}  // namespace pianola::proof

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
