#include "runtime/plan/proof.h"

namespace pianola::proof {
namespace {

// For a script command that a proof visits again: it is looked up on refusal. No table of the manifest is at offset 0.
constexpr std::uint32_t kOffsetOnRefusal = 0U;

constexpr std::array<const char*, static_cast<std::size_t>(Field::kCount)> kFieldNames{{
    nullptr,  // kNone
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_FIELD(name, text) text,
#include "runtime/plan/fields.inc"  // NOLINT(misra-text-19.0.3): DEV-004
#undef PIANOLA_FIELD
}};

[[nodiscard]] const char* name_of(Field field) noexcept {
    return kFieldNames[static_cast<std::size_t>(field)];
}

}  // namespace

void enter(Context& context, Field list, std::uint32_t index, std::uint32_t file_offset) noexcept {
    context.place = Place{list, index, file_offset};
}

void enter(Context& context, Field table, std::uint32_t file_offset) noexcept {
    enter(context, table, FieldPath::kNoIndex, file_offset);
}

void enter_inner(Context& context, Field list, std::uint32_t index, std::uint32_t file_offset) noexcept {
    context.place.inner_list = list;
    context.place.inner_index = index;
    context.place.file_offset = file_offset;
}

void enter_root(Context& context, Field field) noexcept {
    enter_root(context, field, FieldPath::kNoIndex);
}

void enter_root(Context& context, Field field, std::uint32_t index) noexcept {
    enter(context, field, index, context.image.envelope().manifest.offset);
}

void enter_command(Context& context, Field list, std::uint32_t index, std::uint32_t command,
                   std::uint32_t file_offset) noexcept {
    context.place = Place{list, index, file_offset, Field::kCommands, command};
}

void enter_command(Context& context, const PlannedCommand& command) noexcept {
    enter_command(context, Field::kScripts, command.script, command.index, kOffsetOnRefusal);
}

Status note_named_refusal(Context& context, Rule rule, const char* name, std::uint64_t actual,
                          std::uint64_t limit) noexcept {
    const Place& place = context.place;
    FieldPath& path = context.verdict.path;
    path.enter(name_of(place.list), place.index);
    if (place.inner_list != Field::kNone) {
        path.enter(name_of(place.inner_list), place.inner_index);
    }
    if (name != nullptr) {
        path.enter(name);
    }
    const std::uint32_t offset = (place.file_offset != kOffsetOnRefusal)
                                     ? place.file_offset
                                     : context.image.script_command(place.index, place.inner_index).file_offset;
    return refuse_wide(context.verdict, rule, offset, actual, limit);
}

Status note_wide_refusal(Context& context, Cause cause, std::uint64_t actual, std::uint64_t limit) noexcept {
    return note_named_refusal(context, rule_of(cause), name_of(field_of<Field>(cause)), actual, limit);
}

Status note_refusal(Context& context, Cause cause, std::uint32_t actual, std::uint32_t limit) noexcept {
    return note_wide_refusal(context, cause, actual, limit);
}

bool refuse_interval(Context& context, const char* field) noexcept {
    const std::uint32_t capacity = context.device.capacities->intervals;
    return is_passed_over(note_named_refusal(context, Rule::kCapIntervals, field, capacity + 1U, capacity));
}

bool take_work(Context& context, std::uint32_t work) noexcept {
    std::uint32_t& left = context.workspace.work_left;
    if (work > left) {
        const std::uint32_t all = context.device.capacities->max_work(context.image.envelope().total_bytes);
        return refuse_at(context, Rule::kCapWork, Field::kNone, (all - left) + work, all);
    }
    left -= work;
    return true;
}

bool take_moves_of_many(Context& context, const IntervalMap& map) noexcept {
    return (map.count() <= kRangesPerExtent) || take_work(context, (map.count() - kRangesPerExtent) / kRangesPerWork);
}

bool assign(Context& context, IntervalMap& map, const ByteRun& run, std::uint32_t tag) noexcept {
    return take_moves(context, map) &&
           (is_ok(map.assign(run.address, run.size_bytes, tag, context.device.capacities->intervals)) ||
            refuse_interval(context, run.field));
}

bool claim(Context& context, IntervalMap& map, std::uint32_t address, std::uint32_t size_bytes, Rule rule) noexcept {
    return (map.largest_tag(address, size_bytes, 0U) == 0U)
               ? assign(context, map, ByteRun{address, size_bytes, Access::kWrite, "buffer"}, kWrittenTag)
               : refuse_at(context, rule, Field::kBuffer, address, size_bytes);
}

}  // namespace pianola::proof
