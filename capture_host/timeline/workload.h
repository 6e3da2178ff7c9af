// Workload: the facts of a trace binary that a timeline needs, for one of its devices.
//
// The only part of the timeline that reads images and plans; patterns and the model work on it. Times are device
// cycles, by the command set's own cost model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hal/host/target.h"
#include "pianola/image.h"
#include "pianola/plan.h"

namespace pianola::timeline {

using Cycles = std::uint64_t;

// Bytes that a command touches, from the first to the last.
struct Touched {
    std::uint64_t address{0U};
    std::uint64_t hull_bytes{0U};
    std::uint64_t bytes{0U};  // without gaps
    bool writes{false};
};

// A command of a trace, decoded.
struct TraceCommand {
    std::string label;
    const char* command{""};      // what the device calls it: a launch by its kernel; static lifetime
    std::uint32_t operation{0U};  // of the workload, from 1 on: commands of one program have the same; 0: of none
    CommandKind kind{CommandKind::kUnspecified};
    std::uint32_t words{0U};
    Cycles cycles{0U};           // on its queue
    std::uint32_t core{0U};      // kDispatch only
    Cycles core_cycles{0U};      // kDispatch only
    std::uint64_t macs{0U};      // multiply-accumulate operations
    bool reads_input{false};     // bytes that the host writes in every step
    bool touches_output{false};  // bytes that the host reads in every step
    std::vector<Touched> touched;
};

// One command of the binary's own scripts.
struct ScriptCommand {
    std::uint32_t queue{0U};
    QueueCommandKind kind{QueueCommandKind::kUnspecified};
    std::uint32_t bytes{0U};  // kWrite, kRead
    std::uint32_t trace{0U};  // kReplay: index into Workload::traces
    std::uint32_t event{0U};  // kRecordEvent, kWaitEvent
    std::string label;
    std::uint64_t address{0U};  // kWrite, kRead
};

// Memory as the manifest names it.
struct NamedRegion {
    std::string name;
    RegionKind kind{RegionKind::kUnspecified};
    MemoryKind memory{MemoryKind::kUnspecified};
    std::uint64_t base{0U};
    std::uint64_t bytes{0U};
};
struct NamedBuffer {
    std::string name;
    std::uint64_t address{0U};
    std::uint64_t bytes{0U};
};

// The place of a device in the binary's mesh.
struct Coordinate {
    std::uint32_t row{0U};
    std::uint32_t column{0U};
};
[[nodiscard]] constexpr bool operator==(const Coordinate& left, const Coordinate& right) {
    return (left.row == right.row) && (left.column == right.column);
}
// "(0, 1)"
[[nodiscard]] std::string to_string(const Coordinate& coordinate);

struct Workload {
    Coordinate coordinate;
    const Target* target{nullptr};  // static lifetime
    std::uint32_t clock_khz{0U};
    std::uint32_t queue_count{0U};
    std::uint32_t ring_words{0U};
    std::uint32_t steps_in_flight{1U};
    std::uint32_t step_deadline_us{0U};
    std::vector<NamedRegion> regions;
    std::vector<NamedBuffer> buffers;               // in the manifest's order
    std::vector<ScriptCommand> inputs;              // writes of a step, in order
    std::vector<ScriptCommand> outputs;             // reads of a step
    std::vector<std::vector<TraceCommand>> traces;  // as in the image; each ends with END
    // The scripts as captured, without the completion records that a session adds.
    std::vector<ScriptCommand> prologue;
    std::vector<ScriptCommand> step;
    std::vector<ScriptCommand> epilogue;

    // All commands of the step's traces, in the order of replay, without their ends.
    [[nodiscard]] std::vector<TraceCommand> commands() const;
    // Whether steps do not use the device.
    [[nodiscard]] bool is_idle() const { return step.empty(); }
};

// For each device of the mesh, in row-major order. The image and plan must have been proved together; the result does
// not refer to them. The target has static lifetime.
[[nodiscard]] std::vector<Workload> read_workloads(const Image& image, const Plan& plan, const Target& target);

}  // namespace pianola::timeline
