// Slices of a plan's constants: their checks, and their number.
#include "pianola/scrub.h"
#include "runtime/integrity/slice_size.h"
#include "runtime/verdict/refusal.h"

namespace pianola {
namespace {

[[nodiscard]] constexpr std::uint32_t least(std::uint32_t one, std::uint32_t other) noexcept {
    return (one < other) ? one : other;
}

}  // namespace

Status prove_checks(ByteSpan file, const Segment& checks, const ConstantRanges& constants, Verdict& verdict) noexcept {
    reset(verdict);
    const ByteSpan held = file.subspan(checks.offset, checks.size_bytes);
    const std::uint32_t count = checks.size_bytes / kCheckBytes;
    std::uint32_t index = 0U;
    bool good = true;
    for (std::uint32_t i = 0U; i < constants.count; ++i) {
        const ConstantRange& range = constants.ranges[i];
        for (std::uint32_t done = 0U; good && (done < range.size_bytes); done += kCheckedBytes) {
            const std::uint32_t bytes = least(kCheckedBytes, range.size_bytes - done);
            const ByteSpan slice = file.subspan(range.file_offset + done, bytes);
            good = (index < count) && (slice_sum(slice) == check_at(held, index));
            index += good ? 1U : 0U;
        }
    }
    const std::uint32_t place = index * kCheckBytes;
    good = good && (place == checks.size_bytes);
    if (!good) {
        verdict.path.enter("checks", index);
        good = is_passed_over(refuse(verdict, Rule::kLayCheck, checks.offset + place));
    }
    if (good) {
        verdict.status = Status::kOk;
    }
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
