#include "runtime/plan/proof.h"

namespace pianola::proof {
namespace {

// Of a script command that a proof comes to again: it is looked up where something is refused. Nothing of the manifest
// lies at 0.
constexpr std::uint32_t kOffsetOnRefusal = 0U;

}  // namespace

void enter(Context& context, const char* list, std::uint32_t index, std::uint32_t file_offset) noexcept {
    context.place = Place{list, index, file_offset};
}

void enter_inner(Context& context, const char* list, std::uint32_t index, std::uint32_t file_offset) noexcept {
    context.place.inner_list = list;
    context.place.inner_index = index;
    context.place.file_offset = file_offset;
}

void enter_root(Context& context, const char* field, std::uint32_t index) noexcept {
    enter(context, field, index, context.image.envelope().manifest.offset);
}

void enter_command(Context& context, const char* list, std::uint32_t index, std::uint32_t command,
                   std::uint32_t file_offset) noexcept {
    context.place = Place{list, index, file_offset, "commands", command};
}

void enter_command(Context& context, const PlannedCommand& command) noexcept {
    enter_command(context, "scripts", command.script, command.index, kOffsetOnRefusal);
}

Status note_refusal(Context& context, Rule rule, const char* field) noexcept {
    return note_wide_refusal(context, rule, field, 0U, 0U);
}

Status note_refusal(Context& context, Rule rule, const char* field, std::uint32_t actual) noexcept {
    return note_wide_refusal(context, rule, field, actual, 0U);
}

Status note_refusal(Context& context, Rule rule, const char* field, std::uint32_t actual,
                    std::uint32_t limit) noexcept {
    return note_wide_refusal(context, rule, field, actual, limit);
}

Status note_wide_refusal(Context& context, Rule rule, const char* field, std::uint64_t actual,
                         std::uint64_t limit) noexcept {
    const Place& place = context.place;
    FieldPath& path = context.verdict.path;
    path.enter(place.list, place.index);
    if (place.inner_list != nullptr) {
        path.enter(place.inner_list, place.inner_index);
    }
    if (field != nullptr) {
        path.enter(field);
    }
    const std::uint32_t offset = (place.file_offset != kOffsetOnRefusal)
                                     ? place.file_offset
                                     : context.image.script_command(place.index, place.inner_index).file_offset;
    return refuse_wide(context.verdict, rule, offset, actual, limit);
}

bool refuse_interval(Context& context, const char* field) noexcept {
    const std::uint32_t capacity = context.device.capacities->intervals;
    return refuse_at(context, Rule::kCapIntervals, field, capacity + 1U, capacity);
}

bool take_work(Context& context, std::uint32_t work) noexcept {
    std::uint32_t& left = context.workspace.work_left;
    if (work > left) {
        const std::uint32_t all = context.device.capacities->max_work(context.image.envelope().total_bytes);
        return refuse_at(context, Rule::kCapWork, nullptr, (all - left) + work, all);
    }
    left -= work;
    return true;
}

bool take_moves(Context& context, const IntervalMap& map) noexcept {
    return (kMaxIntervals <= kRangesPerExtent) || (map.count() <= kRangesPerExtent) ||
           take_work(context, (map.count() - kRangesPerExtent) / kRangesPerWork);
}

bool assign(Context& context, IntervalMap& map, const ByteRun& run, std::uint32_t tag) noexcept {
    return take_moves(context, map) &&
           (is_ok(map.assign(run.address, run.size_bytes, tag, context.device.capacities->intervals)) ||
            refuse_interval(context, run.field));
}

bool claim(Context& context, IntervalMap& map, std::uint32_t address, std::uint32_t size_bytes, Rule rule) noexcept {
    return (map.largest_tag(address, size_bytes, 0U) == 0U)
               ? assign(context, map, ByteRun{address, size_bytes, Access::kWrite, "buffer"}, kWrittenTag)
               : refuse_at(context, rule, "buffer", address, size_bytes);
}

}  // namespace pianola::proof
