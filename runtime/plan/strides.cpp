// Extents of several runs. Can be left out: runtime/without.
#include "runtime/plan/runs.h"

namespace pianola::proof {
namespace {

// Merges runs that touch or overlap. ExtentList::add() has checked that no sum wraps.
void join(std::uint32_t& size_bytes, Repeat& repeat) noexcept {
    if (repeat.stride_bytes <= size_bytes) {
        size_bytes += (repeat.count - 1U) * repeat.stride_bytes;
        repeat.count = 1U;
    }
}

}  // namespace

void Runs::go_on(const Extent& extent) noexcept {
    if (left_ != 0U) {
        move();
    } else {
        begin_many(extent);
    }
}

void Runs::begin_many(const Extent& extent) noexcept {
    first_address_ = extent.address;
    inner_ = extent.inner;
    outer_ = extent.outer;
    inner_done_ = 0U;
    outer_done_ = 0U;
    join(run_.size_bytes, inner_);
    join(run_.size_bytes, outer_);
    const std::uint64_t count = std::uint64_t{inner_.count} * outer_.count;
    moved_bytes_ = command_.moved_bytes[begun_];
    is_exact_ = (count == 1U) || ((moved_bytes_ == 0U) && (count <= kMaxRunsPerExtent));
    if (is_exact_ && (moved_bytes_ == 0U)) {
        left_ = static_cast<std::uint32_t>(count) - 1U;
    } else {
        run_.size_bytes = static_cast<std::uint32_t>(hull_bytes(extent)) + moved_bytes_;
    }
}

void Runs::move() noexcept {
    left_ -= 1U;
    inner_done_ += 1U;
    if (inner_done_ == inner_.count) {
        inner_done_ = 0U;
        outer_done_ += 1U;
    }
    run_.address = first_address_ + (inner_done_ * inner_.stride_bytes) + (outer_done_ * outer_.stride_bytes);
}

}  // namespace pianola::proof
