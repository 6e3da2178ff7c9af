// What the parts of the proof share. Included by the sources of runtime/plan only.
#pragma once

#include "runtime/plan/plan.h"

namespace pianola::proof {

struct Context {
    const Image& image;
    const DeviceDescription& device;
    const CommandSet& command_set;
    PlanWorkspace& workspace;
    Plan& plan;
    Verdict& verdict;
};

// Where in the manifest a check is: "regions[2]", or "scripts[1].commands[3]"; and where that lies in the file.
struct Place {
    const char* list{""};
    std::uint32_t index{FieldPath::kNoIndex};
    std::uint32_t file_offset{0U};
    const char* inner_list{nullptr};  // nullptr where there is none
    std::uint32_t inner_index{FieldPath::kNoIndex};
};

// Refuses a field of that place; with nullptr for a name, the place itself.
Status refuse_at(const Context& context, const Place& place, Rule rule, const char* field, std::uint32_t actual = 0U,
                 std::uint32_t limit = 0U) noexcept;
Status refuse_wide_at(const Context& context, const Place& place, Rule rule, const char* field, std::uint64_t actual,
                      std::uint64_t limit) noexcept;

// A list of the manifest, or a field of its root: what has no table of its own is shown at the manifest's first byte.
[[nodiscard]] Place root_place(const Context& context, const char* field,
                               std::uint32_t index = FieldPath::kNoIndex) noexcept;

// "scripts[s].commands[c]": the script command that a planned command comes from.
[[nodiscard]] Place place_of(const Context& context, const PlannedCommand& command) noexcept;

// The tag of every byte of a map that is a set.
inline constexpr std::uint32_t kWrittenTag = 1U;

[[nodiscard]] constexpr std::uint32_t core_count(const DeviceDescription& device) noexcept {
    return device.grid_columns * device.grid_rows;
}

// target.cpp: the device is the one that the binary was captured for.
Status check_target(Context& context) noexcept;

// layout.cpp: regions, buffers, tensors, self-tests. Fills in regions and tensor sizes.
Status check_layout(Context& context) noexcept;

// traces.cpp: the traces tile their segment, which fits into the trace region.
Status check_trace_segment(Context& context) noexcept;

// scripts.cpp: which commands are where; indices; everything exactly once. Resolves both scripts.
Status check_scripts(Context& context) noexcept;

// order.cpp: events take turns, so that there is no deadlock; rings; the critical path of every script.
Status check_order(Context& context) noexcept;

// A command of a trace. Where a declared parameter patches it, the extents are those of all admitted values together.
struct TraceCommand {
    DecodedCommand decoded;
    std::uint32_t varying{kMaxExtentsPerCommand};  // index of the extent that a parameter moves
    std::uint32_t certain_address{0U};             // of that one: what is touched whatever the value
    std::uint32_t certain_bytes{0U};               // 0: no byte is
};

// traces.cpp: the command at `word` of a trace, with its patches. kOk or kRefused; word is inside the trace.
Status decode_command(const Context& context, std::uint32_t trace, std::uint32_t word, TraceCommand& command) noexcept;

// parameters.cpp: declared parameters and their patch points; fills in the plan's.
Status check_parameters(Context& context) noexcept;

// parameters.cpp: where a declared parameter patches the decoded command, proves that the command set accepts it with every admitted value,
// and widens its extents. words is exactly the command, at the device address.
Status widen_command(const Context& context, const Place& place, WordSpan words, std::uint32_t address,
                     TraceCommand& command) noexcept;

// traces.cpp: decodes and proves the commands of one trace, in the state of workspace.written; adds what they write.
Status prove_trace(Context& context, std::uint32_t index) noexcept;

// data_flow.cpp: everything that a script reads has been written in it, before it, or at set-up. Proves every trace.
Status check_data_flow(Context& context) noexcept;

// races.cpp: commands on different queues that no event orders do not conflict.
Status check_races(Context& context) noexcept;

// The region that holds all of [address, address + size_bytes); kMaxRegions where there is none.
[[nodiscard]] std::uint32_t find_region(const Plan& plan, std::uint32_t address, std::uint32_t size_bytes) noexcept;

// The command words of a trace that check_trace_segment() has accepted.
[[nodiscard]] WordSpan words_of(const Context& context, const TraceView& trace) noexcept;

// The trace whose commands a replay runs, by its address.
[[nodiscard]] std::uint32_t replayed_trace(const Context& context, const QueueCommand& command) noexcept;

// Index of the only script of that kind; script_count() where there is none.
[[nodiscard]] std::uint32_t find_script(const Image& image, ScriptKind kind) noexcept;

}  // namespace pianola::proof
