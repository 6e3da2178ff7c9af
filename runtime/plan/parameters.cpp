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
    if (point.word >= trace.word_count) {
        return refuse_at(context, Rule::kParPoint, "word", point.word, trace.word_count);
    }
    const std::uint32_t capacity = context.device.capacities->patch_points;
    if (plan.patch_count >= capacity) {
        return refuse_at(context, Rule::kCapPoints, "word", plan.patch_count + 1U, capacity);
    }
    const std::uint32_t address = plan.trace_region_base + trace.offset_bytes + (point.word * kWordBytes);
    auto& points = context.workspace.points;
    std::uint32_t place = plan.patch_count;
    while ((place != 0U) && (plan.patch_addresses[points[place - 1U]] > address)) {
        points[place] = points[place - 1U];
        place -= 1U;
    }
    if ((place != 0U) && (plan.patch_addresses[points[place - 1U]] == address)) {
        return refuse_at(context, Rule::kParPoint, "word", point.word, trace.word_count);
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

// Two extents that lie apart, and differ in nothing else.
[[nodiscard]] constexpr bool have_same_shape(const Extent& left, const Extent& right) noexcept {
    return (left.size_bytes == right.size_bytes) && (left.access == right.access) && is_same(left.inner, right.inner) &&
           is_same(left.outer, right.outer);
}

// A word of a command, and what sets it.
struct Patch {
    std::uint32_t word{0U};
    bool is_address{false};
    PlannedParameter parameter;

    [[nodiscard]] std::uint32_t span() const noexcept { return parameter.maximum - parameter.minimum; }
};

// One command, of at most kMaxCommandWords, with other values in the patched words. CommandSet says why these stand for
// all values: every word at its lowest and at its highest value, in all combinations, and one step above the lowest.
class Variants {
  public:
    // workspace.before is the state in front of the command, workspace.state what it leaves with the trace's own
    // values, which are `command`.
    Variants(Context& context, WordSpan words, const DecodedCommand& command) noexcept
        : command_set_{context.command_set}, workspace_{context.workspace}, command_{command}, count_{words.size()} {
        std::memcpy(words_.data(), words.data(), count_ * sizeof(words[0]));
        owners_.fill(kMaxPatchesPerCommand);
    }

    // There is room.
    void add(const Patch& patch) noexcept {
        patches_[patched_] = patch;
        words_[patch.word] = patch.parameter.minimum;
        patched_ += 1U;
    }
    [[nodiscard]] const Patch& patch(std::uint32_t index) const noexcept { return patches_[index]; }

    // Proves all values, and makes the extents of `command` those of all values. Else the index of the patch that it
    // fails with; patched() where all is well.
    [[nodiscard]] std::uint32_t prove(TraceCommand& command) noexcept {
        if (!decode(lowest())) {
            return 0U;
        }
        std::uint32_t proved = 0U;
        while ((proved < patched_) && proves(proved)) {
            proved += 1U;
        }
        return (proved < patched_) ? proved : widen(command);
    }

  private:
    [[nodiscard]] DecodedCommand& lowest() noexcept { return workspace_.variants[0]; }

    // True where the command set accepts the words, the command costs what it does in the trace and leaves the same
    // state.
    [[nodiscard]] bool decode(DecodedCommand& variant) noexcept {
        variant.clear();
        DecodeState& state = workspace_.variant_state;
        copy_state(workspace_.before, state);
        DecodeError error;
        return is_ok(command_set_.decode(WordSpan{words_.data(), count_}, state, variant, error)) &&
               is_same_state(state, workspace_.state) && (variant.length_words == count_) &&
               (variant.kind == command_.kind) && (variant.kernel_id == command_.kernel_id) &&
               (variant.core == command_.core) && (variant.cost_cycles == command_.cost_cycles) &&
               (variant.core_cycles == command_.core_cycles) &&
               (variant.extents.view().size() == command_.extents.view().size());
    }

    // Decodes the words. True where extents have moved by as much as the words that they are of, and nothing else has
    // changed. One extent that no other word moves is of `finder`; of no word where that is kMaxPatchesPerCommand.
    [[nodiscard]] bool holds(std::uint32_t finder) noexcept {
        DecodedCommand& variant = workspace_.variants[1];
        bool is_right = decode(variant);
        const Span<const Extent> low = lowest().extents.view();
        for (std::uint32_t i = 0U; is_right && (i < low.size()); ++i) {
            const Extent& extent = variant.extents.view()[i];
            const std::uint32_t moved_bytes = extent.address - low[i].address;
            if ((moved_bytes != 0U) && (owners_[i] == kMaxPatchesPerCommand)) {
                owners_[i] = finder;
                finder = kMaxPatchesPerCommand;
            }
            std::uint32_t expected_bytes = 0U;
            if (owners_[i] != kMaxPatchesPerCommand) {
                const Patch& owner = patches_[owners_[i]];
                expected_bytes = words_[owner.word] - owner.parameter.minimum;
            }
            is_right = have_same_shape(low[i], extent) && (moved_bytes == expected_bytes);
        }
        return is_right;
    }

    // The highest value of one patch with all combinations of those before it, and one step above its lowest; those
    // behind it have their lowest.
    [[nodiscard]] bool proves(std::uint32_t index) noexcept {
        const Patch& patch = patches_[index];
        words_[patch.word] = patch.parameter.maximum;
        bool is_proved = holds(patch.is_address ? index : kMaxPatchesPerCommand);
        for (std::uint32_t corner = (1U << index) - 1U; is_proved && (corner != 0U); --corner) {
            set_before(index, corner);
            is_proved = holds(kMaxPatchesPerCommand);
        }
        set_before(index, 0U);
        words_[patch.word] = patch.parameter.minimum + ((patch.span() != 0U) ? patch.parameter.alignment : 0U);
        is_proved = is_proved && holds(kMaxPatchesPerCommand);
        words_[patch.word] = patch.parameter.minimum;
        return is_proved;
    }

    // Those before it have the highest value where `corner` has a 1, else the lowest.
    void set_before(std::uint32_t index, std::uint32_t corner) noexcept {
        for (std::uint32_t i = 0U; i < index; ++i) {
            const PlannedParameter& parameter = patches_[i].parameter;
            words_[patches_[i].word] = (((corner >> i) & 1U) != 0U) ? parameter.maximum : parameter.minimum;
        }
    }

    // What moves stays apart from what else the command touches at every value, not only at those that were looked at.
    [[nodiscard]] std::uint32_t widen(TraceCommand& command) noexcept {
        command.decoded.extents = lowest().extents;
        const Span<const Extent> extents = lowest().extents.view();
        std::array<std::uint64_t, kMaxExtentsPerCommand> bytes{};
        for (std::uint32_t i = 0U; i < extents.size(); ++i) {
            command.moved_bytes[i] = (owners_[i] != kMaxPatchesPerCommand) ? patches_[owners_[i]].span() : 0U;
            bytes[i] = hull_bytes(extents[i]) + command.moved_bytes[i];
        }
        for (std::uint32_t i = 0U; i < extents.size(); ++i) {
            bool is_apart = bytes[i] <= UINT32_MAX;
            for (std::uint32_t k = 0U; k < extents.size(); ++k) {
                is_apart = is_apart && ((i == k) || !overlap(extents[i].address, static_cast<std::uint32_t>(bytes[i]),
                                                             extents[k].address, static_cast<std::uint32_t>(bytes[k])));
            }
            if (!is_apart && (owners_[i] != kMaxPatchesPerCommand)) {
                return owners_[i];
            }
        }
        return patched_;
    }

    const CommandSet& command_set_;
    PlanWorkspace& workspace_;
    const DecodedCommand& command_;
    std::array<std::uint32_t, kMaxCommandWords> words_{};
    std::size_t count_;
    std::array<Patch, kMaxPatchesPerCommand> patches_{};
    std::uint32_t patched_{0U};
    std::array<std::uint32_t, kMaxExtentsPerCommand> owners_{};  // the patch that moves each extent
};

// Refuses a word of the command that is the context's place.
bool refuse_patch(Context& context, Rule rule, std::uint32_t word, std::uint32_t actual, std::uint32_t limit) noexcept {
    context.place.file_offset += word * kWordBytes;
    return refuse_at(context, rule, nullptr, actual, limit);
}

// One more word that is set, whose own value is among those that are admitted.
bool add_patch(Context& context, std::uint32_t point, WordSpan words, Patch& patch) noexcept {
    const std::uint32_t index = parameter_of(context.plan, point);
    const bool is_address = context.image.parameter(index).kind == ParameterKind::kBufferAddress;
    const std::uint32_t value = words[patch.word];
    patch.parameter = context.plan.parameters[index];
    patch.is_address = is_address;
    if (context.command_set.patch_kind(words, patch.word) != (is_address ? PatchKind::kAddress : PatchKind::kValue)) {
        return refuse_patch(context, Rule::kParWord, patch.word, value, patch.parameter.maximum);
    }
    return patch.parameter.admits(value)
               ? true
               : refuse_patch(context, Rule::kParValue, patch.word, value, patch.parameter.maximum);
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

std::uint32_t first_point(const Context& context, std::uint32_t address) noexcept {
    std::uint32_t point = 0U;
    while ((point < context.plan.patch_count) &&
           (context.plan.patch_addresses[context.workspace.points[point]] < address)) {
        point += 1U;
    }
    return point;
}

bool widen_command(Context& context, const TracePosition& position, TraceCommand& command) noexcept {
    const Plan& plan = context.plan;
    const WordSpan words = position.words.subspan(0U, command.decoded.length_words);
    const std::uint32_t address = plan.trace_region_base + position.offset_bytes;
    const auto word_at = [&](std::uint32_t index) noexcept {
        return (plan.patch_addresses[context.workspace.points[position.point + index]] - address) / kWordBytes;
    };
    command.moved_bytes.fill(0U);
    command.patched = 0U;
    while (((position.point + command.patched) < plan.patch_count) && (word_at(command.patched) < words.size())) {
        command.patched += 1U;
    }
    if (command.patched == 0U) {
        return true;
    }
    if (command.patched > kMaxPatchesPerCommand) {
        return refuse_patch(context, Rule::kParCommand, word_at(kMaxPatchesPerCommand), command.patched,
                            kMaxPatchesPerCommand);
    }
    if (words.size() > kMaxCommandWords) {
        return refuse_patch(context, Rule::kParAccepted, word_at(0U), words[word_at(0U)], 0U);
    }
    Variants variants{context, words, command.decoded};
    for (std::uint32_t i = 0U; i < command.patched; ++i) {
        Patch patch;
        patch.word = word_at(i);
        if (!add_patch(context, context.workspace.points[position.point + i], words, patch)) {
            return false;
        }
        variants.add(patch);
    }
    const std::uint32_t decodes = command.patched + (1U << command.patched);
    if (!take_work(context, decodes * (kWorkPerCommand + command.decoded.length_words))) {
        return false;
    }
    const std::uint32_t refused = variants.prove(command);
    if (refused == command.patched) {
        return true;
    }
    const Patch& patch = variants.patch(refused);
    return refuse_patch(context, Rule::kParAccepted, patch.word, words[patch.word], patch.parameter.maximum);
}

}  // namespace pianola::proof
