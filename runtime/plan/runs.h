// Runs: an extent as contiguous runs of bytes.
//
// Place in the whole: how the proofs look at strided extents. Runs that touch or overlap become one. Of an extent with
// more than kMaxRunsPerExtent runs there is one that stands for all: the hull, from the first byte to the last. What it
// holds beyond the extent makes the proofs refuse more, never less, as long as it does not count as written.
#pragma once

#include "pianola/command_set.h"

namespace pianola::proof {

class Runs {
  public:
    explicit Runs(const Extent& extent) noexcept;

    [[nodiscard]] std::uint32_t count() const noexcept { return inner_.count * outer_.count; }
    // Whether the runs are the extent, and not its hull.
    [[nodiscard]] bool are_exact() const noexcept { return are_exact_; }
    // The next one, from the first on. False where there is none.
    [[nodiscard]] bool next(Extent& run) noexcept;

  private:
    Extent run_;  // access and field are the extent's
    Repeat inner_;
    Repeat outer_;
    std::uint32_t inner_done_{0U};
    std::uint32_t outer_done_{0U};
    bool are_exact_{true};
};

// Calls visit for each run, as long as that returns true; false where one did not. The usual extent, of one run, costs
// no more than the call.
template <typename Visit>
[[nodiscard]] bool for_each_run(const Extent& extent, const Visit& visit) noexcept {
    if ((extent.inner.count == 1U) && (extent.outer.count == 1U)) {
        return visit(extent);
    }
    Runs runs{extent};
    Extent run;
    bool good = true;
    while (good && runs.next(run)) {  // kMaxRunsPerExtent at most
        good = visit(run);
    }
    return good;
}

// How many they are.
[[nodiscard]] inline std::uint32_t count_runs(const Extent& extent) noexcept {
    return ((extent.inner.count == 1U) && (extent.outer.count == 1U)) ? 1U : Runs{extent}.count();
}

}  // namespace pianola::proof
