#include <cstring>

#include "runtime/plan/proof.h"

namespace pianola::proof {
namespace {

constexpr std::uint32_t kWordBytes = 4U;

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
    if (plan.patch_count >= kMaxPatchPoints) {
        return refuse_at(context, Rule::kParPoint, "word", plan.patch_count + 1U, kMaxPatchPoints);
    }
    if ((point.word >= trace.word_count) || (find_point(plan, 0U, address, kWordBytes) < plan.patch_count)) {
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

// One command, of at most kMaxCommandWords, with other values in the patched word.
class Variants {
  public:
    // workspace.before is the state in front of the command, workspace.state what it leaves with the trace's own value.
    Variants(const CommandSet& command_set, PlanWorkspace& workspace, WordSpan words, std::uint32_t patched) noexcept
        : command_set_{command_set}, workspace_{workspace}, count_{words.size()}, patched_{patched} {
        std::memcpy(words_.data(), words.data(), count_ * sizeof(words[0]));
    }

    // True where the command set accepts the value, the command costs what `like` costs and leaves the same state.
    [[nodiscard]] bool decode(std::uint32_t value, const DecodedCommand& like, DecodedCommand& variant) noexcept {
        words_[patched_] = value;
        variant.clear();
        DecodeState& state = workspace_.variant_state;
        copy_state(workspace_.before, state);
        DecodeError error;
        return is_ok(command_set_.decode(WordSpan{words_.data(), count_}, state, variant, error)) &&
               is_same_state(state, workspace_.state) && (variant.length_words == count_) &&
               (variant.kind == like.kind) && (variant.kernel_id == like.kernel_id) && (variant.core == like.core) &&
               (variant.cost_cycles == like.cost_cycles) && (variant.core_cycles == like.core_cycles) &&
               (variant.extents.view().size() == like.extents.view().size());
    }

  private:
    const CommandSet& command_set_;
    PlanWorkspace& workspace_;
    std::array<std::uint32_t, kMaxCommandWords> words_{};
    std::size_t count_;
    std::uint32_t patched_;
};

[[nodiscard]] constexpr bool is_same(const Repeat& left, const Repeat& right) noexcept {
    return (left.count == right.count) && (left.stride_bytes == right.stride_bytes);
}

// Two extents that lie apart, and differ in nothing else.
[[nodiscard]] constexpr bool have_same_shape(const Extent& left, const Extent& right) noexcept {
    return (left.size_bytes == right.size_bytes) && (left.access == right.access) && is_same(left.inner, right.inner) &&
           is_same(left.outer, right.outer);
}

// Makes the extents of `command` those of the lowest value, one of which may move up to that of the highest. False
// where they do not just move with the value.
[[nodiscard]] bool widen(const DecodedCommand& lowest, const DecodedCommand& highest, std::uint32_t span,
                         TraceCommand& command) noexcept {
    const Span<const Extent> low = lowest.extents.view();
    const Span<const Extent> high = highest.extents.view();
    for (std::uint32_t i = 0U; i < low.size(); ++i) {
        const std::uint32_t moved_bytes = high[i].address - low[i].address;
        if (!have_same_shape(low[i], high[i])) {
            return false;
        }
        if (moved_bytes != 0U) {
            if ((moved_bytes != span) || (command.varying != kMaxExtentsPerCommand)) {
                return false;
            }
            command.varying = i;
        }
    }
    command.decoded.extents = lowest.extents;
    command.moved_bytes = span;
    if (command.varying == kMaxExtentsPerCommand) {
        return true;
    }
    // What moves stays apart from what else the command touches: at every value then, not only at both ends.
    const Extent& moving = low[command.varying];
    const std::uint64_t moving_bytes = hull_bytes(moving) + span;
    for (std::uint32_t i = 0U; i < low.size(); ++i) {
        if ((i != command.varying) && overlap(low[i].address, static_cast<std::uint32_t>(hull_bytes(low[i])),
                                              moving.address, static_cast<std::uint32_t>(moving_bytes))) {
            return false;
        }
    }
    return moving_bytes <= UINT32_MAX;
}

// Proves the lowest, the second and the highest value, and makes the extents of `command` those of all values.
[[nodiscard]] bool accepts_all(Variants& variants, PlanWorkspace& workspace, const PlannedParameter& parameter,
                               TraceCommand& command) noexcept {
    const std::uint32_t span = parameter.maximum - parameter.minimum;
    const std::uint32_t second = (span > 0U) ? (parameter.minimum + parameter.alignment) : parameter.minimum;
    DecodedCommand& lowest = workspace.variants[0];
    DecodedCommand& other = workspace.variants[1];
    return variants.decode(parameter.minimum, command.decoded, lowest) &&
           variants.decode(second, command.decoded, other) &&
           variants.decode(parameter.maximum, command.decoded, other) && widen(lowest, other, span, command);
}

}  // namespace

bool check_parameters(Context& context) noexcept {
    Plan& plan = context.plan;
    const std::uint32_t count = context.image.parameter_count();
    plan.patch_count = 0U;
    for (std::uint32_t i = 0U; i < count; ++i) {
        const ParameterView view = context.image.parameter(i);
        enter(context, "parameters", i, view.file_offset);
        constexpr std::uint32_t kSignBit = 31U;
        const bool has_two_signs =
            (view.kind != ParameterKind::kBufferAddress) && ((view.minimum >> kSignBit) != (view.maximum >> kSignBit));
        if ((view.alignment == 0U) || (view.minimum > view.maximum) || ((view.minimum % view.alignment) != 0U) ||
            ((view.maximum % view.alignment) != 0U) || has_two_signs) {
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
    Rule rule = Rule::kParAccepted;
    if (find_point(plan, point + 1U, address, size_bytes) != plan.patch_count) {
        rule = Rule::kParCommand;
    } else if (context.command_set.patch_kind(words, patched) != wanted) {
        rule = Rule::kParWord;
    } else if (!parameter.admits(value)) {
        rule = Rule::kParValue;
    } else if (words.size() <= kMaxCommandWords) {
        Variants variants{context.command_set, context.workspace, words, patched};
        if (accepts_all(variants, context.workspace, parameter, command) &&
            ((wanted == PatchKind::kAddress) || (command.varying == kMaxExtentsPerCommand))) {
            return true;
        }
    } else {
        // It is not accepted with every value.
    }
    context.place.file_offset += patched * kWordBytes;
    return refuse_at(context, rule, nullptr, value, parameter.maximum);
}

}  // namespace pianola::proof
