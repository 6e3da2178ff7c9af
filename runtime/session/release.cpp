// What is verified between the completion of a script and its release, and before the next submission.
#include <type_traits>

#include "pianola/session.h"

namespace pianola {

// Compares the next slices of the first ranges: at load through the control path alone.
Status Session::compare(std::uint32_t end_range, std::uint32_t limit_bytes, ScrubCursor& cursor,
                        FaultStage stage) noexcept {
    Completion where;
    const ScrubSource source{devices(),    loaded_.file,        loaded_.checks,
                             loaded_.plan, running_.parameters, stage != FaultStage::kReadBack};
    const Status status = compare_slices(source, end_range, limit_bytes, cursor, where.fault_address);
    return ((status == Status::kOk) || (status == Status::kPending)) ? status
                                                                     : latch(status, stage, cursor.device, 0U, where);
}

Status Session::compare_constants(std::uint32_t limit_bytes, ScrubCursor& cursor) noexcept {
    return compare(loaded_.plan.constants.kept_count, limit_bytes, cursor, FaultStage::kScrub);
}

// The number of steps that may share one verification of everything; 0 if not even two verifications of everything fit.
// A fault that occurs just after its byte was verified is found that many steps later, and within that step one period
// later at most.
std::uint32_t shared_steps(const FaultInterval& interval) noexcept {
    const bool is_meant = (interval.period_us != 0U) && (interval.reaction_us <= interval.ftti_us);
    const std::uint32_t periods = is_meant ? ((interval.ftti_us - interval.reaction_us) / interval.period_us) : 0U;
    return (periods > 1U) ? (periods - 1U) : 0U;
}

// What each step verifies, and whether state is summed.
void Session::plan_release() noexcept {
    using Bytes = std::conditional_t<kDrivesOneDevice, std::uint32_t, std::uint64_t>;
    static_assert(!kDrivesOneDevice || ((std::uint64_t{kPlannedCommands} * kMaxFileBytes) < kNoShare),
                  "each range is a piece of the file");
    loaded_.release_bytes = kNoShare;
    const FaultInterval& interval = config_.interval;
    const std::uint32_t steps = shared_steps(interval);
    if ((config_.release == Release::kWithinInterval) && (steps != 0U)) {
        loaded_.release_bytes = share_bytes(static_cast<Bytes>(scrub_bytes(loaded_.plan.constants)), steps);
        loaded_.release_gap_us = (interval.ftti_us - interval.reaction_us - interval.period_us) / steps;
    }
    bool sums_state = false;
    for (std::uint32_t i = 0U; i < loaded_.plan.region_count; ++i) {
        sums_state = sums_state || holds_state(loaded_.plan.regions[i]);
    }
    loaded_.sums_state = sums_state && (config_.release != Release::kAtCompletion);
}

std::uint32_t Session::release_steps() const noexcept {
    if (!is_loaded() || (config_.release == Release::kAtCompletion) || !is_whole()) {
        return 0U;
    }
    const std::uint32_t steps = pianola::scrub_calls(loaded_.plan.constants, loaded_.release_bytes);
    const bool is_share = kDrivesOneDevice || (loaded_.release_bytes != kNoShare);
    return is_share ? steps : static_cast<std::uint32_t>(steps != 0U);
}

// A share suffices if no more than release_gap_us pass from the beginning of the last share to that of this one, and
// from there to the end of its last call. After everything was verified at once, it may be a period more: the interval
// has one beside the gaps. Otherwise the step verifies everything: it cannot have used a bit that flips later. Returns
// whether it is late.
bool Session::verify_all_if_late(bool is_begun) noexcept {
    const std::uint64_t now_us = platform_.now_us();
    std::uint32_t gap_us = loaded_.release_gap_us;
    if (!running_.has_shared) {
        gap_us += config_.interval.period_us;
    }
    if ((now_us - running_.verified_us) <= gap_us) {
        if (!is_begun) {
            running_.verified_us = now_us;
            running_.has_shared = true;
        }
        return false;
    }
    running_.verified_us = now_us;
    running_.has_shared = false;
    running_.release_left = kNoShare;
    running_.release = ScrubCursor{};
    return true;
}

// An executed script is complete once the data that it relied on has been verified.
Status Session::verify_release() noexcept {
    if (config_.release == Release::kAtCompletion) {
        return Status::kOk;
    }
    if (!running_.is_verifying) {
        running_.release_left = loaded_.release_bytes;
    }
    if (running_.release_left != kNoShare) {
        static_cast<void>(verify_all_if_late(running_.is_verifying));
    }
    const std::uint32_t limit = (running_.release_left < kScrubSliceBytes) ? running_.release_left : kScrubSliceBytes;
    Status status = compare_constants(limit, running_.release);
    const bool is_share = running_.release_left != kNoShare;
    running_.release_left -= is_share ? limit : 0U;
    if ((status == Status::kPending) && (running_.release_left == 0U)) {
        status = Status::kOk;
    }
    if (is_share && is_ok(status) && verify_all_if_late(true)) {
        status = Status::kPending;  // this call took long
    }
    running_.is_verifying = status == Status::kPending;
    return status;
}

// The sum of all state, on all devices; left as it is if it does not matter. kOk, or the fault that latched: a device
// cannot be read.
Status Session::sum_state(std::uint64_t& sum) noexcept {
    if (!loaded_.sums_state) {
        return Status::kOk;
    }
    SliceSum sums;
    for (std::uint32_t i = 0U; i < loaded_.plan.region_count; ++i) {
        const RegionConfig& region = loaded_.plan.regions[i];
        for (std::uint32_t device = 0U; holds_state(region) && (device < device_count()); ++device) {
            if (!add_device_bytes(*devices_[device], region.base, region.size_bytes, sums)) {
                return latch(Status::kDeviceFault, FaultStage::kScrub, device);
            }
        }
    }
    sum = sums.value();
    return Status::kOk;
}

// Before a script is submitted while none is under way: state is what the last one has left.
Status Session::check_state_sum() noexcept {
    if (!loaded_.sums_state || (running_.under_way != 0U)) {
        return Status::kOk;
    }
    std::uint64_t sum = 0U;
    const Status summed = sum_state(sum);
    const bool is_said = !is_ok(summed) || (sum == running_.state_sum);
    return is_said ? summed : latch(Status::kIntegrity, FaultStage::kScrub);
}

}  // namespace pianola
