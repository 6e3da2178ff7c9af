#include <cstring>

#include "runtime/plan/proof.h"

namespace pianola::proof {
namespace {

constexpr std::uint32_t kWordBytes = 4U;

// The first of the plan's patch points from `first` on that lies in [address, address + size_bytes); their count where none does.
[[nodiscard]] std::uint32_t find_point(const Plan& plan, std::uint32_t first, std::uint32_t address,
                                       std::uint32_t size_bytes) noexcept {
    std::uint32_t point = first;
    while ((point < plan.patch_count) &&
           ((plan.patch_addresses[point] - address) >= size_bytes)) {  // wraps to a large value below the address
        point += 1U;
    }
    return point;
}

bool add_point(Context& context, std::uint32_t parameter, std::uint32_t index) noexcept {
    const PatchPointView point = context.image.patch_point(parameter, index);
    enter_inner(context, "points", index, point.file_offset);
    Plan& plan = context.plan;
    const std::uint32_t traces = context.image.trace_count();
    if (point.trace >= traces) {
        return refuse_at(context, Rule::kParPoint, "trace", point.trace, traces);
    }
    const TraceView trace = context.image.trace(point.trace);
    const std::uint32_t address = plan.trace_region_base + trace.offset_bytes + (point.word * kWordBytes);
    if ((plan.patch_count >= kMaxPatchPoints) || (point.word >= trace.word_count) ||
        (find_point(plan, 0U, address, kWordBytes) < plan.patch_count)) {
        return refuse_at(context, Rule::kParPoint, "word", point.word, trace.word_count);
    }
    plan.patch_addresses[plan.patch_count] = address;
    plan.patch_count += 1U;
    return true;
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
        std::memcpy(words_.data(), words.data(), count_ * sizeof(words[0]));  // at most kMaxCommandWords
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

// Proves the lowest, the second and the highest value, and makes the extents of `command` those of all values.
[[nodiscard]] bool accepts_all(const PlannedParameter& parameter, Variants& variants, TraceCommand& command) noexcept {
    const std::uint32_t span = parameter.maximum - parameter.minimum;
    const std::array<std::uint32_t, 3> values{
        parameter.minimum, (span > 0U) ? (parameter.minimum + parameter.alignment) : parameter.minimum,
        parameter.maximum};
    std::array<TraceCommand, 3> decoded;
    bool good = true;
    for (std::size_t i = 0U; good && (i < values.size()); ++i) {
        good = variants.decode(values[i], command.decoded, decoded[i].decoded);
    }
    return good && widen(decoded[0].decoded, decoded[2].decoded, span, command);
}

}  // namespace

bool check_parameters(Context& context) noexcept {
    Plan& plan = context.plan;
    const std::uint32_t count = context.image.parameter_count();
    plan.patch_count = 0U;
    for (std::uint32_t i = 0U; i < count; ++i) {
        const ParameterView view = context.image.parameter(i);
        enter(context, "parameters", i, view.file_offset);
        if ((view.alignment == 0U) || (view.minimum > view.maximum) || ((view.minimum % view.alignment) != 0U) ||
            ((view.maximum % view.alignment) != 0U)) {
            return refuse_at(context, Rule::kParRange, "minimum", view.minimum, view.maximum);
        }
        if (view.point_count == 0U) {
            return refuse_at(context, Rule::kParPoint, "points");
        }
        plan.parameters[i] =
            PlannedParameter{view.minimum, view.maximum, view.alignment, plan.patch_count, view.point_count};
        for (std::uint32_t k = 0U; k < view.point_count; ++k) {
            if (!add_point(context, i, k)) {
                return false;
            }
        }
    }
    plan.parameter_count = count;
    return true;
}

bool widen_command(Context& context, WordSpan words, std::uint32_t address, TraceCommand& command) noexcept {
    const Plan& plan = context.plan;
    const std::uint32_t size_bytes = static_cast<std::uint32_t>(words.size()) * kWordBytes;
    const std::uint32_t point = find_point(plan, 0U, address, size_bytes);
    if (point == plan.patch_count) {
        return true;
    }
    const std::uint32_t index = parameter_of(plan, point);
    const PlannedParameter& parameter = plan.parameters[index];
    const std::uint32_t patched = (plan.patch_addresses[point] - address) / kWordBytes;
    const std::uint32_t value = words[patched];
    const PatchKind wanted = (context.image.parameter(index).kind == ParameterKind::kBufferAddress)
                                 ? PatchKind::kAddress
                                 : PatchKind::kValue;
    Variants variants{context.command_set, words, patched};
    Rule rule = Rule::kParAccepted;
    if (find_point(plan, point + 1U, address, size_bytes) != plan.patch_count) {
        rule = Rule::kParCommand;
    } else if (context.command_set.patch_kind(words, patched) != wanted) {
        rule = Rule::kParWord;
    } else if (!parameter.admits(value)) {
        rule = Rule::kParValue;
    } else if (accepts_all(parameter, variants, command) &&
               ((wanted == PatchKind::kAddress) || (command.varying == kMaxExtentsPerCommand))) {
        return true;
    } else {
        // It is not accepted with every value.
    }
    context.place.file_offset += patched * kWordBytes;
    return refuse_at(context, rule, nullptr, value, parameter.maximum);
}

}  // namespace pianola::proof
