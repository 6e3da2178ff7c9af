#include <cstring>

#include "runtime/plan/proof.h"

namespace pianola::proof {
namespace {

constexpr std::uint32_t kWordBytes = 4U;

bool add_point(Context& context, std::uint32_t parameter, std::uint32_t index) noexcept {
    const PatchPointView point = context.image.patch_point(parameter, index);
    enter_inner(context, Field::kPoints, index, point.file_offset);
    Plan& plan = context.plan;
    const std::uint32_t traces = context.image.trace_count();
    if (point.trace >= traces) {
        return refuse_at(context, Rule::kParPoint, Field::kTrace, point.trace, traces);
    }
    const TraceView trace = context.image.trace(point.trace);
    if (point.word >= trace.word_count) {
        return refuse_at(context, Rule::kParPoint, Field::kWord, point.word, trace.word_count);
    }
    const std::uint32_t capacity = context.device.capacities->patch_points;
    if (plan.patch_count >= capacity) {
        return refuse_at(context, Rule::kCapPoints, Field::kWord, plan.patch_count + 1U, capacity);
    }
    const std::uint32_t address = plan.trace_region_base + trace.offset_bytes + (point.word * kWordBytes);
    auto& points = context.workspace.points;
    std::uint32_t place = plan.patch_count;
    while ((place != 0U) && (plan.patch_addresses[points[place - 1U]] > address)) {
        points[place] = points[place - 1U];
        place -= 1U;
    }
    if ((place != 0U) && (plan.patch_addresses[points[place - 1U]] == address)) {
        return refuse_at(context, Rule::kParPoint, Field::kWord, point.word, trace.word_count);
    }
    points[place] = static_cast<std::uint8_t>(plan.patch_count);
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

[[nodiscard]] constexpr bool is_same(const Repeat& left, const Repeat& right) noexcept {
    return (left.count == right.count) && (left.stride_bytes == right.stride_bytes);
}

// Two extents that differ only in their address.
[[nodiscard]] constexpr bool have_same_shape(const Extent& left, const Extent& right) noexcept {
    return (left.size_bytes == right.size_bytes) && (left.access == right.access) && is_same(left.inner, right.inner) &&
           is_same(left.outer, right.outer);
}

// A word of a command, and the parameter that sets it.
struct Patch {
    std::uint32_t word{0U};
    bool is_address{false};
    const PlannedParameter* parameter{nullptr};
};

// One command, of at most kMaxCommandWords, with other values in the patched words. CommandSet says why these represent
// all values: the lowest and the highest of each word, in all combinations, and one step above each lowest.
class Variants {
  public:
    // workspace.before is the state before the command, workspace.state the state after it with the trace's own values,
    // which are `command`.
    Variants(Context& context, WordSpan words, TraceCommand& command) noexcept : context_{context}, command_{command} {
        std::memcpy(words_.data(), words.data(), words.size() * sizeof(words[0]));
    }

    // There is room.
    void add(const Patch& patch) noexcept {
        patches_[command_.patched] = patch;
        command_.patched += 1U;
    }
    [[nodiscard]] const Patch& first() const noexcept { return patches_[0]; }

    // Widens the extents of the command to those of all values. False if it does not accept them all.
    [[nodiscard]] bool prove() noexcept {
        bool is_proved = true;
        for (std::uint32_t corner = 0U; is_proved && ((corner >> command_.patched) == 0U); ++corner) {
            std::uint32_t finder = kNobody;
            for (std::uint32_t i = 0U; i < command_.patched; ++i) {
                const Patch& patch = patches_[i];
                const bool is_highest = ((corner >> i) & 1U) != 0U;
                words_[patch.word] = is_highest ? patch.parameter->maximum : patch.parameter->minimum;
                finder = (patch.is_address && (corner == (1U << i))) ? (i + 1U) : finder;
            }
            is_proved = (corner == 0U) ? decode(lowest()) : holds(finder);
        }
        for (std::uint32_t i = 0U; is_proved && (i < command_.patched); ++i) {
            const PlannedParameter& parameter = *patches_[i].parameter;
            std::uint32_t& word = words_[patches_[i].word];
            if (parameter.minimum != word) {
                word = parameter.minimum + parameter.alignment;
            }
            is_proved = holds(kNobody);
            word = parameter.maximum;
        }
        return is_proved && widen();
    }

  private:
    static constexpr std::uint32_t kNobody = 0U;

    [[nodiscard]] DecodedCommand& lowest() noexcept { return context_.workspace.variants[0]; }

    // True if the command set accepts the words, and the command has the same cost as in the trace and leaves the same
    // state.
    [[nodiscard]] bool decode(DecodedCommand& variant) noexcept {
        variant.clear();
        PlanWorkspace& workspace = context_.workspace;
        DecodeState& state = workspace.variant_state;
        copy_state(workspace.before, state);
        DecodeError error;
        const DecodedCommand& like = command_.decoded;
        return is_ok(context_.command_set.decode(WordSpan{words_.data(), like.length_words}, state, variant, error)) &&
               is_same_state(state, workspace.state) && (variant.length_words == like.length_words) &&
               (variant.kind == like.kind) && (variant.kernel_id == like.kernel_id) && (variant.core == like.core) &&
               (variant.cost_cycles == like.cost_cycles) && (variant.core_cycles == like.core_cycles) &&
               (variant.extents.view().size() == like.extents.view().size());
    }

    // Decodes the words. True if extents have moved by as much as the words that they belong to, and nothing else has
    // changed. One extent that no other word moves belongs to `finder`; to no word if that is kNobody.
    [[nodiscard]] bool holds(std::uint32_t finder) noexcept {
        DecodedCommand& variant = context_.workspace.variants[1];
        bool is_right = decode(variant);
        const Span<const Extent> low = lowest().extents.view();
        for (std::uint32_t i = 0U; is_right && (i < low.size()); ++i) {
            const Extent& extent = variant.extents.view()[i];
            std::uint32_t moved_bytes = extent.address - low[i].address;
            std::uint32_t& owner = owners_[i];
            if ((moved_bytes != 0U) && (owner == kNobody)) {
                owner = finder;
                finder = kNobody;
            }
            if (owner != kNobody) {
                const Patch& patch = patches_[owner - 1U];
                moved_bytes -= words_[patch.word] - patch.parameter->minimum;
            }
            is_right = have_same_shape(low[i], extent) && (moved_bytes == 0U);
        }
        return is_right;
    }

    // A moving extent is disjoint from the command's other extents at every value, not only at those that were tried.
    // ExtentList::add() has checked that no end wraps.
    [[nodiscard]] bool widen() noexcept {
        command_.decoded.extents = lowest().extents;
        const Span<const Extent> extents = lowest().extents.view();
        std::array<std::uint32_t, kMaxExtentsPerCommand> last{};
        bool is_apart = true;
        for (std::uint32_t i = 0U; i < extents.size(); ++i) {
            const std::uint32_t owner = owners_[i];
            std::uint32_t& moved_bytes = command_.moved_bytes[i];
            if (owner != kNobody) {
                const PlannedParameter& parameter = *patches_[owner - 1U].parameter;
                moved_bytes = parameter.maximum - parameter.minimum;
            }
            last[i] = extents[i].address + moved_bytes + (static_cast<std::uint32_t>(hull_bytes(extents[i])) - 1U);
            for (std::uint32_t k = 0U; k < i; ++k) {
                const bool moves = (moved_bytes | command_.moved_bytes[k]) != 0U;
                is_apart = is_apart && (!moves || (extents[i].address > last[k]) || (extents[k].address > last[i]));
            }
        }
        return is_apart;
    }

    Context& context_;
    TraceCommand& command_;
    std::array<std::uint32_t, kMaxCommandWords> words_{};
    std::array<Patch, kMaxPatchesPerCommand> patches_{};
    std::array<std::uint32_t, kMaxExtentsPerCommand> owners_{};  // the patch that moves each extent, from 1
};

}  // namespace

bool check_parameters(Context& context) noexcept {
    Plan& plan = context.plan;
    const std::uint32_t count = context.image.parameter_count();
    plan.patch_count = 0U;
    for (std::uint32_t i = 0U; i < count; ++i) {
        const ParameterView view = context.image.parameter(i);
        enter(context, Field::kParameters, i, view.file_offset);
        constexpr std::uint32_t kSignBit = 31U;
        const bool has_two_signs =
            (view.kind != ParameterKind::kBufferAddress) && ((view.minimum >> kSignBit) != (view.maximum >> kSignBit));
        if ((view.alignment == 0U) || (view.minimum > view.maximum) || ((view.minimum % view.alignment) != 0U) ||
            ((view.maximum % view.alignment) != 0U) || has_two_signs) {
            return refuse_at(context, Rule::kParRange, Field::kMinimum, view.minimum, view.maximum);
        }
        if (view.point_count == 0U) {
            return refuse_at(context, Rule::kParPoint, Field::kPoints);
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

void keep_state(Context& context) noexcept {
    copy_state(context.workspace.state, context.workspace.before);
}

std::uint32_t first_point(const Context& context, std::uint32_t address, std::uint32_t point) noexcept {
    std::uint32_t found = point;
    while ((found < context.plan.patch_count) &&
           (context.plan.patch_addresses[context.workspace.points[found]] < address)) {
        found += 1U;
    }
    return found;
}

bool widen_command(Context& context, const TracePosition& position, TraceCommand& command) noexcept {
    const Plan& plan = context.plan;
    const WordSpan words = position.words.subspan(0U, command.decoded.length_words);
    const std::uint32_t address = plan.trace_region_base + position.offset_bytes;
    const std::uint32_t end_address = address + (command.decoded.length_words * kWordBytes);
    const std::uint32_t end = first_point(context, end_address, position.point);
    command.moved_bytes.fill(0U);
    command.patched = 0U;
    const std::uint32_t count = end - position.point;
    if (count == 0U) {
        return true;
    }
    if ((count > kMaxPatchesPerCommand) || (words.size() > kMaxCommandWords)) {
        return refuse_at(context, (count > kMaxPatchesPerCommand) ? Rule::kParCommand : Rule::kParAccepted,
                         Field::kNone, count, kMaxPatchesPerCommand);
    }
    const auto refuse = [&context, words](Rule rule, const Patch& patch) noexcept {
        context.place.file_offset += patch.word * kWordBytes;
        return refuse_at(context, rule, Field::kNone, words[patch.word], patch.parameter->maximum);
    };
    Variants variants{context, words, command};
    bool good = true;
    for (std::uint32_t i = position.point; good && (i < end); ++i) {
        const std::uint32_t point = context.workspace.points[i];
        const std::uint32_t index = parameter_of(plan, point);
        const bool is_address = context.image.parameter(index).kind == ParameterKind::kBufferAddress;
        const Patch patch{(plan.patch_addresses[point] - address) / kWordBytes, is_address, &plan.parameters[index]};
        const bool is_word =
            context.command_set.patch_kind(words, patch.word) == (is_address ? PatchKind::kAddress : PatchKind::kValue);
        good = (is_word && patch.parameter->admits(words[patch.word]))
                   ? true
                   : refuse(is_word ? Rule::kParValue : Rule::kParWord, patch);
        variants.add(patch);
    }
    const std::uint32_t each = kWorkPerCommand + command.decoded.length_words;
    if (!good || !take_work(context, ((1U << count) + count) * each)) {
        return false;
    }
    return variants.prove() ? true : refuse(Rule::kParAccepted, variants.first());
}

}  // namespace pianola::proof
