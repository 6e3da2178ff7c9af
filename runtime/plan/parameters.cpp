#include "runtime/plan/proof.h"

namespace pianola::proof {
namespace {

constexpr std::uint32_t kWordBytes = 4U;

// Patch points of the plan that lie in [address, address + size_bytes): the first, and how many.
struct Points {
    std::uint32_t first{0U};
    std::uint32_t count{0U};
};
[[nodiscard]] Points points_in(const Plan& plan, std::uint32_t address, std::uint32_t size_bytes) noexcept {
    Points points;
    for (std::uint32_t i = 0U; i < plan.patch_count; ++i) {
        if ((plan.patch_addresses[i] - address) < size_bytes) {  // wraps to a large value below the address
            points.first = (points.count == 0U) ? i : points.first;
            points.count += 1U;
        }
    }
    return points;
}

// The place of a patch point, or of its parameter.
[[nodiscard]] Place parameter_place(std::uint32_t parameter, const ParameterView& view) noexcept {
    return Place{"parameters", parameter, view.file_offset};
}

Status add_point(Context& context, std::uint32_t parameter, std::uint32_t index) noexcept {
    const PatchPointView point = context.image.patch_point(parameter, index);
    const Place place{"parameters", parameter, point.file_offset, "points", index};
    Plan& plan = context.plan;
    if (point.trace >= context.image.trace_count()) {
        return refuse_at(context, place, Rule::kParPoint, "trace", point.trace, context.image.trace_count());
    }
    const TraceView trace = context.image.trace(point.trace);
    const std::uint32_t address = plan.trace_region_base + trace.offset_bytes + (point.word * kWordBytes);
    if ((plan.patch_count >= kMaxPatchPoints) || (point.word >= trace.word_count) ||
        (points_in(plan, address, kWordBytes).count != 0U)) {
        return refuse_at(context, place, Rule::kParPoint, "word", point.word, trace.word_count);
    }
    plan.patch_addresses[plan.patch_count] = address;
    plan.patch_count += 1U;
    return Status::kOk;
}

// The parameter that a patch point belongs to.
[[nodiscard]] std::uint32_t parameter_of(const Plan& plan, std::uint32_t point) noexcept {
    std::uint32_t index = 0U;
    while ((index < plan.parameter_count) &&
           ((point - plan.parameters[index].first_point) >= plan.parameters[index].point_count)) {
        index += 1U;
    }
    return index;
}

// One command with other values in the patched word.
class Variants {
  public:
    Variants(const CommandSet& command_set, WordSpan words, std::uint32_t patched) noexcept
        : command_set_{command_set}, count_{words.size()}, patched_{patched} {
        for (std::size_t i = 0U; i < count_; ++i) {  // at most kMaxCommandWords
            words_[i] = words[i];
        }
    }

    // True where the command set accepts the value, and the command costs what `like` costs.
    [[nodiscard]] bool decode(std::uint32_t value, const DecodedCommand& like, DecodedCommand& variant) noexcept {
        words_[patched_] = value;
        DecodeError error;
        return is_ok(command_set_.decode(WordSpan{words_.data(), count_}, variant, error)) &&
               (variant.length_words == count_) && (variant.kind == like.kind) &&
               (variant.cost_cycles == like.cost_cycles) && (variant.core_cycles == like.core_cycles) &&
               (variant.extents.view().size() == like.extents.view().size());
    }

  private:
    const CommandSet& command_set_;
    std::array<std::uint32_t, kMaxCommandWords> words_{};
    std::size_t count_;
    std::uint32_t patched_;
};

[[nodiscard]] bool share_bytes(const Extent& left, const Extent& right) noexcept {
    const std::uint32_t left_from_right = left.address - right.address;  // wraps to a large value where left is first
    const std::uint32_t right_from_left = right.address - left.address;
    return (left_from_right < right.size_bytes) || (right_from_left < left.size_bytes);
}

// Makes the extents of `command` those of all values from lowest to highest. False where they do not just move with the value.
[[nodiscard]] bool widen(const DecodedCommand& lowest, const DecodedCommand& highest, std::uint32_t span,
                         TraceCommand& command) noexcept {
    ExtentList extents;
    const Span<const Extent> low = lowest.extents.view();
    const Span<const Extent> high = highest.extents.view();
    bool good = true;
    for (std::uint32_t i = 0U; good && (i < low.size()); ++i) {
        const std::uint32_t moved = high[i].address - low[i].address;
        const bool varies = moved != 0U;
        good = (low[i].size_bytes == high[i].size_bytes) && (low[i].access == high[i].access) &&
               (!varies || ((moved == span) && (command.varying == kMaxExtentsPerCommand))) &&
               extents.add(low[i].address, std::uint64_t{low[i].size_bytes} + moved, low[i].access, low[i].field);
        if (varies) {
            command.varying = i;
            command.certain_address = high[i].address;
            command.certain_bytes = (low[i].size_bytes > moved) ? (low[i].size_bytes - moved) : 0U;
        }
    }
    // What moves stays apart from what else the command touches: at every value then, not only at both ends.
    const Span<const Extent> all = extents.view();
    for (std::uint32_t i = 0U; good && (command.varying < all.size()) && (i < all.size()); ++i) {
        good = (i == command.varying) || !share_bytes(all[i], all[command.varying]);
    }
    command.decoded.extents = extents;
    return good;
}

}  // namespace

Status check_parameters(Context& context) noexcept {
    Plan& plan = context.plan;
    const std::uint32_t count = context.image.parameter_count();
    plan.patch_count = 0U;
    for (std::uint32_t i = 0U; i < count; ++i) {
        const ParameterView view = context.image.parameter(i);
        const Place place = parameter_place(i, view);
        if ((view.alignment == 0U) || (view.minimum > view.maximum) || ((view.minimum % view.alignment) != 0U) ||
            ((view.maximum % view.alignment) != 0U)) {
            return refuse_at(context, place, Rule::kParRange, "minimum", view.minimum, view.maximum);
        }
        if (view.point_count == 0U) {
            return refuse_at(context, place, Rule::kParPoint, "points");
        }
        plan.parameters[i] =
            PlannedParameter{view.minimum, view.maximum, view.alignment, plan.patch_count, view.point_count};
        for (std::uint32_t k = 0U; k < view.point_count; ++k) {
            const Status added = add_point(context, i, k);
            if (!is_ok(added)) {
                return added;
            }
        }
    }
    plan.parameter_count = count;
    return Status::kOk;
}

Status widen_command(const Context& context, const Place& place, WordSpan words, std::uint32_t address,
                     TraceCommand& command) noexcept {
    const Plan& plan = context.plan;
    const std::uint32_t size_bytes = static_cast<std::uint32_t>(words.size()) * kWordBytes;
    const Points points = points_in(plan, address, size_bytes);
    if (points.count == 0U) {
        return Status::kOk;
    }
    const std::uint32_t index = parameter_of(plan, points.first);
    const PlannedParameter& parameter = plan.parameters[index];
    const std::uint32_t patched = (plan.patch_addresses[points.first] - address) / kWordBytes;
    const std::uint32_t value = words[patched];
    const PatchKind wanted = (context.image.parameter(index).kind == ParameterKind::kBufferAddress)
                                 ? PatchKind::kAddress
                                 : PatchKind::kValue;
    const std::uint32_t span = parameter.maximum - parameter.minimum;
    const std::uint32_t second = (span > 0U) ? (parameter.minimum + parameter.alignment) : parameter.minimum;
    DecodedCommand lowest;
    DecodedCommand next;
    DecodedCommand highest;
    Variants variants{context.command_set, words, patched};
    Rule rule = Rule::kParAccepted;
    if (points.count > 1U) {
        rule = Rule::kParCommand;
    } else if (context.command_set.patch_kind(words, patched) != wanted) {
        rule = Rule::kParWord;
    } else if ((value < parameter.minimum) || (value > parameter.maximum) || ((value % parameter.alignment) != 0U)) {
        rule = Rule::kParValue;
    } else if (variants.decode(parameter.minimum, command.decoded, lowest) &&
               variants.decode(second, command.decoded, next) &&
               variants.decode(parameter.maximum, command.decoded, highest) && widen(lowest, highest, span, command) &&
               ((wanted == PatchKind::kAddress) || (command.varying == kMaxExtentsPerCommand))) {
        return Status::kOk;
    } else {
        // It is not accepted with every value.
    }
    Place exact = place;
    exact.file_offset += patched * kWordBytes;
    return refuse_at(context, exact, rule, nullptr, value, parameter.maximum);
}

}  // namespace pianola::proof
