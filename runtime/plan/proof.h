// Shared by the parts of the proof. Included by the sources of runtime/plan only.
#pragma once

#include "pianola/plan.h"
#include "runtime/plan/runs.h"
#include "runtime/verdict/cause.h"

namespace pianola::proof {

// Lists and fields of the manifest that the proofs name.
enum class Field : std::uint8_t {
    kNone = 0U,
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_FIELD(name, text) name,
#include "runtime/plan/fields.inc"  // NOLINT(misra-text-19.0.3): DEV-004
#undef PIANOLA_FIELD
    kCount,
};

// Position of a check in the manifest: "regions[2]", or "scripts[1].commands[3]"; and its offset in the file.
struct Place {
    Field list{Field::kNone};
    std::uint32_t index{FieldPath::kNoIndex};
    std::uint32_t file_offset{0U};
    Field inner_list{Field::kNone};  // kNone if there is none
    std::uint32_t inner_index{FieldPath::kNoIndex};
};

struct Context {
    const Image& image;
    const DeviceDescription& device;
    const CommandSet& command_set;
    PlanWorkspace& workspace;
    Plan& plan;
    Verdict& verdict;
    Place place;                    // object that a refusal names
    std::uint32_t mesh_device{0U};  // of the mesh: the device whose commands are checked
};

// Whether a planned command is one of those that are checked.
[[nodiscard]] inline bool is_taken(const Context& context, const PlannedCommand& command) noexcept {
    return has_device(command.devices, context.mesh_device);
}

// traces.cpp: resets, copies and compares states of traces. Unused words cost nothing.
void clear_state(DecodeState& state) noexcept;
void copy_state(const DecodeState& other, DecodeState& state) noexcept;
[[nodiscard]] bool is_same_state(const DecodeState& state, const DecodeState& other) noexcept;

// Every check of this folder returns true, or refuses and returns false. prove_plan() also checks whether the verdict
// was filled in, so that success does not depend on one bit.

// place.cpp: sets the place to a table of a list of the manifest, or of its root.
void enter(Context& context, Field list, std::uint32_t index, std::uint32_t file_offset) noexcept;
void enter(Context& context, Field table, std::uint32_t file_offset) noexcept;
// Sets the place to a table inside the one that is entered.
void enter_inner(Context& context, Field list, std::uint32_t index, std::uint32_t file_offset) noexcept;
// Sets the place to a command of a trace or script: "traces[0].commands[1]".
void enter_command(Context& context, Field list, std::uint32_t index, std::uint32_t command,
                   std::uint32_t file_offset) noexcept;
// Sets the place to a field of the root: fields without their own table are reported at the manifest's first byte.
void enter_root(Context& context, Field field) noexcept;
void enter_root(Context& context, Field field, std::uint32_t index) noexcept;
// Sets the place to "scripts[s].commands[c]": the script command that a planned command comes from.
void enter_command(Context& context, const PlannedCommand& command) noexcept;

// place.cpp: fills in the verdict with the cause's rule, for a field of the context's place; with kNone for the place
// itself.
Status note_refusal(Context& context, Cause cause, std::uint32_t actual, std::uint32_t limit) noexcept;
Status note_wide_refusal(Context& context, Cause cause, std::uint64_t actual, std::uint64_t limit) noexcept;
// For a field that a command set names; nullptr stands for the place itself.
Status note_named_refusal(Context& context, Rule rule, const char* name, std::uint64_t actual,
                          std::uint64_t limit) noexcept;

// Fills in the verdict and returns false.
[[nodiscard]] inline bool refuse_at(Context& context, Rule rule, Field field, std::uint32_t actual = 0U,
                                    std::uint32_t limit = 0U) noexcept {
    return is_passed_over(note_refusal(context, cause_of(rule, field), actual, limit));
}
[[nodiscard]] inline bool refuse_wide_at(Context& context, Rule rule, Field field, std::uint64_t actual,
                                         std::uint64_t limit) noexcept {
    return is_passed_over(note_wide_refusal(context, cause_of(rule, field), actual, limit));
}
// Refuses because a map is full.
[[nodiscard]] bool refuse_interval(Context& context, const char* field) noexcept;

// place.cpp: subtracts work from the file's budget, for the context's place.
[[nodiscard]] bool take_work(Context& context, std::uint32_t work) noexcept;
// The work of moving the ranges of a map, beyond the extent's own work.
[[nodiscard]] bool take_moves_of_many(Context& context, const IntervalMap& map) noexcept;
[[nodiscard]] inline bool take_moves(Context& context, const IntervalMap& map) noexcept {
    return (kMaxIntervals <= kRangesPerExtent) || take_moves_of_many(context, map);
}
// Tags the bytes of the run, at its cost, or refuses.
[[nodiscard]] bool assign(Context& context, IntervalMap& map, const ByteRun& run, std::uint32_t tag) noexcept;

// The tag of every byte of a map that is a set.
inline constexpr std::uint32_t kWrittenTag = 1U;
// Adds bytes to such a map, as a command's or tensor's "buffer", or refuses if it has one of them.
[[nodiscard]] bool claim(Context& context, IntervalMap& map, std::uint32_t address, std::uint32_t size_bytes,
                         Rule rule) noexcept;

[[nodiscard]] constexpr std::uint32_t core_count(const DeviceDescription& device) noexcept {
    return device.grid_columns * device.grid_rows;
}

// devices.cpp: the devices of a range, as bits; none if the mesh does not have all of them.
[[nodiscard]] DeviceBits devices_in(const DeviceRange& mesh, const DeviceRange& range) noexcept;
// Proves each device of the mesh.
[[nodiscard]] bool check_devices(Context& context) noexcept;

// target.cpp: the device is the one that the binary was captured for.
[[nodiscard]] bool check_target(Context& context) noexcept;

// layout.cpp: regions, buffers, tensors, self-tests. Fills in regions and tensor sizes.
[[nodiscard]] bool check_layout(Context& context) noexcept;

// traces.cpp: the traces tile their segment, which fits into the trace region.
[[nodiscard]] bool check_trace_segment(Context& context) noexcept;

// scripts.cpp: positions of commands; indices; everything exactly once. Resolves all scripts.
[[nodiscard]] bool check_scripts(Context& context) noexcept;

// From here to queues.cpp, all functions are about the commands of one device: context.mesh_device.

// data_flow.cpp: bytes that the set-up writes.
[[nodiscard]] bool check_set_up(Context& context) noexcept;
[[nodiscard]] bool list_constants(Context& context) noexcept;

// queues.cpp: numbers of queues and events that scripts may use.
[[nodiscard]] std::uint32_t queue_limit(const Context& context) noexcept;
[[nodiscard]] std::uint32_t event_limit() noexcept;

// order.cpp: records and waits alternate, so there is no deadlock; rings; the critical path of every script.
[[nodiscard]] bool check_order(Context& context) noexcept;

// traces.cpp: position of a proof inside a trace that check_trace_segment() has accepted. first_of() clears the state
// of the trace, which decode_at() updates: one walk at a time.
struct TracePosition {
    WordSpan words;                  // from the command to the end of the trace
    std::uint32_t offset_bytes{0U};  // of the command in the trace segment, and in the trace region
    std::uint32_t trace{0U};
    std::uint32_t command{0U};  // counts from 0
    std::uint32_t point{0U};    // of PlanWorkspace::points: the first in or after the command
};
[[nodiscard]] TracePosition first_of(Context& context, std::uint32_t index, const TraceView& trace) noexcept;
// Advances past the command, which decode_at() has accepted.
void advance(TracePosition& position, const TraceCommand& command) noexcept;
// Decodes the command with its patches into `command`, and makes it the context's place. There must be words left.
[[nodiscard]] bool decode_at(Context& context, const TracePosition& position, TraceCommand& command) noexcept;

// parameters.cpp: declared parameters and their patch points; fills in the plan's.
[[nodiscard]] bool check_parameters(Context& context) noexcept;

// parameters.cpp: the state is that before the next command.
void keep_state(Context& context) noexcept;
// parameters.cpp: if declared parameters patch the decoded command, proves that the command set accepts it with every
// combination of permitted values and reaches the same state, and widens its extents. The command is the context's
// place; workspace.before is the state before it.
[[nodiscard]] bool widen_command(Context& context, const TracePosition& position, TraceCommand& command) noexcept;
// The first of workspace.points, from `point` on, at or after the address; their count if there is none.
[[nodiscard]] std::uint32_t first_point(const Context& context, std::uint32_t address,
                                        std::uint32_t point = 0U) noexcept;

// traces.cpp: decodes and proves the commands of one trace, in the state of workspace.written, and adds the bytes that
// they write.
[[nodiscard]] bool prove_trace(Context& context, std::uint32_t index) noexcept;

// data_flow.cpp: everything that a script reads has been written in it, before it, or at set-up. Proves every trace.
[[nodiscard]] bool check_data_flow(Context& context) noexcept;

// views.cpp: called before the data flow, which then records what each trace touches; and after it, for the result.
void find_tensors(Context& context) noexcept;
void note_use(Context& context, const ByteRun& run, TensorUse& use) noexcept;
void judge_views(Context& context) noexcept;

// data_flow.cpp: an access that conflicts with none, because nothing writes to weights.
[[nodiscard]] bool reads_weights(const Context& context, const ByteRun& run) noexcept;

// queues.cpp: commands on different queues that no event orders do not conflict.
[[nodiscard]] bool check_races(Context& context) noexcept;

// The region that holds all of [address, address + size_bytes); kMaxRegions if there is none.
[[nodiscard]] std::uint32_t find_region(const Plan& plan, std::uint32_t address, std::uint32_t size_bytes) noexcept;

// The region that is in the file; kMaxRegions if there is none.
[[nodiscard]] std::uint32_t find_region_in_file(const Plan& plan) noexcept;

// Whether two ranges, which do not wrap, share a byte.
[[nodiscard]] bool overlap(std::uint32_t base1, std::uint32_t bytes1, std::uint32_t base2,
                           std::uint32_t bytes2) noexcept;

// A script and its commands.
[[nodiscard]] PlannedScript& script_of(Context& context, ScriptKind kind) noexcept;
[[nodiscard]] PlannedCommands& commands_of(Context& context, ScriptKind kind) noexcept;

// The later of two times.
[[nodiscard]] std::uint64_t later(std::uint64_t left, std::uint64_t right) noexcept;

// Index of the only script of that kind; script_count() if there is none.
[[nodiscard]] std::uint32_t find_script(const Image& image, ScriptKind kind) noexcept;

}  // namespace pianola::proof
