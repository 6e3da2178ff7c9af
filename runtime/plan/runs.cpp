#include "runtime/plan/runs.h"

namespace pianola::proof {
namespace {

// Makes one run of those that touch or overlap. ExtentList::add() has seen that no sum wraps.
void join(std::uint32_t& size_bytes, Repeat& repeat) noexcept {
    if ((repeat.count > 1U) && (repeat.stride_bytes <= size_bytes)) {
        size_bytes += (repeat.count - 1U) * repeat.stride_bytes;
        repeat = Repeat{};
    }
}

}  // namespace

Runs::Runs(const Extent& extent) noexcept
    : run_{extent.address, extent.size_bytes, extent.access, extent.field, {}, {}},
      inner_{extent.inner},
      outer_{extent.outer} {
    join(run_.size_bytes, inner_);
    if (inner_.count == 1U) {
        join(run_.size_bytes, outer_);
    }
    if ((std::uint64_t{inner_.count} * outer_.count) > kMaxRunsPerExtent) {
        run_.size_bytes = static_cast<std::uint32_t>(hull_bytes(extent));
        inner_ = Repeat{};
        outer_ = Repeat{};
        are_exact_ = false;
    }
}

bool Runs::next(Extent& run) noexcept {
    if (outer_done_ == outer_.count) {
        return false;
    }
    run = run_;
    run.address += (inner_done_ * inner_.stride_bytes) + (outer_done_ * outer_.stride_bytes);
    inner_done_ += 1U;
    if (inner_done_ == inner_.count) {
        inner_done_ = 0U;
        outer_done_ += 1U;
    }
    return true;
}

}  // namespace pianola::proof
