#include "runtime/plan/proof.h"

namespace pianola::proof {

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
    enter_command(context, "scripts", command.script, command.index,
                  context.image.script_command(command.script, command.index).file_offset);
}

bool refuse_at(Context& context, Rule rule, const char* field, std::uint32_t actual, std::uint32_t limit) noexcept {
    return refuse_wide_at(context, rule, field, actual, limit);
}

bool refuse_wide_at(Context& context, Rule rule, const char* field, std::uint64_t actual,
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
    return is_ok(refuse_wide(context.verdict, rule, place.file_offset, actual, limit));
}

bool refuse_interval(Context& context, const char* field) noexcept {
    return refuse_at(context, Rule::kCapIntervals, field, kMaxIntervals, kMaxIntervals);
}

}  // namespace pianola::proof
