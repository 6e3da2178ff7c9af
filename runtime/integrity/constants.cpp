// What the set-up writes: its ranges, and the checks of their slices.
#include "pianola/scrub.h"
#include "runtime/integrity/slice_size.h"
#include "runtime/plan/proof.h"
#include "runtime/verdict/refusal.h"

namespace pianola {
namespace {

// Visits weights that devices read in the file, then constant ranges in the order of the set-up, and then those of
// state.
class SetUpRanges {
  public:
    SetUpRanges(const PlanWorkspace& workspace, const Plan& plan, const Envelope& envelope) noexcept
        : workspace_{workspace}, plan_{plan}, envelope_{envelope} {}

    // False after the last one. At most twice as many steps as the set-up has commands.
    [[nodiscard]] bool next(ConstantRange& range, bool& is_state) noexcept {
        const std::uint32_t count = workspace_.setup.count;
        const std::uint32_t in_file = proof::find_region_in_file(plan_);
        is_state = false;
        if (!has_visited_file_) {
            has_visited_file_ = true;
            if (in_file < kMaxRegions) {
                const RegionConfig& region = plan_.regions[in_file];
                range = ConstantRange{region.base, envelope_.weights.offset, region.size_bytes,
                                      (DeviceBits{1U} << plan_.device_count) - 1U};
                return true;
            }
        }
        while (visit_ < (2U * count)) {
            is_state = visit_ >= count;
            const PlannedCommand& entry = workspace_.setup_commands[visit_ - (is_state ? count : 0U)];
            visit_ += 1U;
            if (proof::is_state(plan_, workspace_, entry.command) == is_state) {
                const QueueCommand& command = entry.command;
                const Segment& segment = (command.slot == kWeightsSlot) ? envelope_.weights : envelope_.traces;
                range = ConstantRange{command.address, segment.offset + command.slot_offset, command.size_bytes,
                                      entry.devices};
                return true;
            }
        }
        return false;
    }

  private:
    const PlanWorkspace& workspace_;
    const Plan& plan_;
    const Envelope& envelope_;
    bool has_visited_file_{false};
    std::uint32_t visit_{0U};
};

[[nodiscard]] constexpr std::uint32_t least(std::uint32_t one, std::uint32_t other) noexcept {
    return (one < other) ? one : other;
}

[[nodiscard]] bool refuse_check(const Segment& checks, std::uint32_t index, Verdict& verdict) noexcept {
    verdict.path.enter("checks", index);
    return is_passed_over(refuse(verdict, Rule::kLayCheck, checks.offset + (index * kCheckBytes)));
}

}  // namespace

void find_constants(const PlanWorkspace& workspace, const Plan& plan, const Envelope& envelope,
                    ConstantRanges& constants) noexcept {
    constants.count = 0U;
    constants.kept_count = 0U;
    SetUpRanges ranges{workspace, plan, envelope};
    ConstantRange range;
    bool is_state = false;
    while (ranges.next(range, is_state)) {
        constants.ranges[constants.count] = range;
        constants.count += 1U;
        constants.kept_count += is_state ? 0U : 1U;
    }
}

Status prove_checks(ByteSpan file, const Envelope& envelope, const PlanWorkspace& workspace, const Plan& plan,
                    Verdict& verdict) noexcept {
    reset(verdict);
    const Segment& checks = envelope.checks;
    const ByteSpan held = file.subspan(checks.offset, checks.size_bytes);
    const std::uint32_t count = checks.size_bytes / kCheckBytes;
    SetUpRanges ranges{workspace, plan, envelope};
    ConstantRange range;
    bool is_state = false;
    std::uint32_t index = 0U;
    bool good = true;
    while (good && ranges.next(range, is_state)) {
        for (std::uint32_t done = 0U; good && (done < range.size_bytes); done += kCheckedBytes) {
            const std::uint32_t bytes = least(kCheckedBytes, range.size_bytes - done);
            const bool is_right =
                (index < count) && (slice_sum(file.subspan(range.file_offset + done, bytes)) == check_at(held, index));
            if (!is_right) {
                good = refuse_check(checks, index, verdict);
            }
            index += 1U;
        }
    }
    if (good && ((index * kCheckBytes) != checks.size_bytes)) {
        good = refuse_check(checks, index, verdict);
    }
    verdict.status = good ? Status::kOk : verdict.status;
    return verdict.status;
}

std::uint32_t scrub_calls(const ConstantRanges& constants, std::uint32_t limit_bytes) noexcept {
    std::uint32_t calls = 0U;
    std::uint32_t left = 0U;  // of the last of them
    for (std::uint32_t i = 0U; i < constants.kept_count; ++i) {
        const ConstantRange& range = constants.ranges[i];
        for (std::uint32_t device = 0U; device < count_of(range.devices); ++device) {
            for (std::uint32_t done = 0U; done < range.size_bytes; done += kCheckedBytes) {
                if (left == 0U) {
                    calls += 1U;
                    left = limit_bytes;
                }
                left -= least(left, counted_bytes(least(kCheckedBytes, range.size_bytes - done)));
            }
        }
    }
    return calls;
}

std::uint64_t scrub_bytes(const ConstantRanges& constants) noexcept {
    std::uint64_t bytes = 0U;
    for (std::uint32_t i = 0U; i < constants.kept_count; ++i) {
        const ConstantRange& range = constants.ranges[i];
        const std::uint32_t last = range.size_bytes % kCheckedBytes;
        const std::uint64_t whole = range.size_bytes - last;
        bytes += (whole + ((last != 0U) ? counted_bytes(last) : 0U)) * count_of(range.devices);
    }
    return bytes;
}

}  // namespace pianola
