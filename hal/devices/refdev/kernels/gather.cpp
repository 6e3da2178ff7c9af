#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/launch_check.h"

namespace pianola::refdev {
namespace {

using Arguments = GatherArguments;

constexpr ArgumentRules<Arguments> kRules = rules_of<Arguments>();

constexpr std::uint32_t kSegmentWords = kArgumentWords<GatherSegment>;

[[nodiscard]] constexpr std::uint32_t first_word_of(std::uint32_t segment) noexcept {
    return word_of(offsetof(Arguments, segments)) + (segment * kSegmentWords);
}

// From the first byte of the first row to the last byte of the last. Fits 64 bits: rows and bytes are below 2^31.
[[nodiscard]] std::uint64_t hull_bytes(const GatherSegment& segment, std::uint32_t rows) noexcept {
    return (static_cast<std::uint64_t>(rows - 1U) * segment.stride_bytes) + segment.bytes;
}

[[nodiscard]] bool is_accepted(LaunchCheck& check, const Arguments& a, std::uint32_t index) noexcept {
    const GatherSegment& segment = a.segments[index];
    const std::uint32_t word = first_word_of(index);
    if (index < a.segment_count) {
        return check.require(segment.bytes != 0U, word + word_of(offsetof(GatherSegment, bytes))) &&
               check.operand(word + word_of(offsetof(GatherSegment, address)), hull_bytes(segment, a.rows),
                             Access::kRead);
    }
    return check.require(segment.address == 0U, word + word_of(offsetof(GatherSegment, address))) &&
           check.require(segment.stride_bytes == 0U, word + word_of(offsetof(GatherSegment, stride_bytes))) &&
           check.require(segment.bytes == 0U, word + word_of(offsetof(GatherSegment, bytes)));
}

}  // namespace

Status describe_gather(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules, footprint, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const Arguments a = arguments_from_words<Arguments>(arguments);
    bool segments_accepted = true;
    std::uint64_t row_bytes = 0U;
    for (std::uint32_t i = 0U; segments_accepted && (i < kMaxGatherSegments); ++i) {
        segments_accepted = is_accepted(check, a, i);
        row_bytes += a.segments[i].bytes;
    }
    const bool accepted =
        segments_accepted &&
        check.operand(word_of(offsetof(Arguments, destination)), bounded_product(row_bytes, a.rows), Access::kWrite) &&
        check.output_placed(word_of(offsetof(Arguments, destination)), LaunchCheck::Placement::kApart);
    return check.finish(accepted, static_cast<std::uint64_t>(a.rows) * a.segment_count);
}

Status compute_gather(WordSpan arguments, const BoundOperands& bound) noexcept {
    const Arguments a = arguments_from_words<Arguments>(arguments);
    std::int8_t* destination = bound.output;
    for (std::size_t row = 0U; row < a.rows; ++row) {
        for (std::uint32_t i = 0U; i < a.segment_count; ++i) {
            const GatherSegment& segment = a.segments[i];
            std::memcpy(destination, bound.inputs[i] + (row * segment.stride_bytes), segment.bytes);
            destination += segment.bytes;
        }
    }
    return Status::kOk;
}

}  // namespace pianola::refdev
