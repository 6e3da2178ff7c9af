// Measurement: what a trace binary has cost a core, command by command, as the measuring image of a board has printed
// it (docs/guide/measure.md); and what that is layer by layer.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "capture_host/timeline/workload.h"

namespace pianola::timeline {

// The text is none that the image prints, or is about another binary. what() says what is missing, with its line.
class NotAMeasurement : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// The image ended before it had measured everything. what() is its reason.
class NotMeasured : public std::runtime_error {
  public:
    enum class Why : std::uint8_t { kRefused, kFault, kNoRoom, kWrongOrder };
    NotMeasured(Why why, const std::string& what) : std::runtime_error{what}, why_{why} {}
    [[nodiscard]] Why why() const noexcept { return why_; }

  private:
    Why why_;
};

struct MeasuredCommand {
    std::string name;  // of a launch, its kernel's
    std::uint64_t count{0U};
};

// What ran between two calls of the markers: a load, a start, a step, a stop.
struct MeasuredPhase {
    std::string name;
    std::uint64_t session{0U};                         // without what the device did in its calls
    std::uint64_t polling{0U};                         // of the device, where a queue had nothing to do
    std::vector<std::vector<MeasuredCommand>> queues;  // what each has executed, in order

    // Of the device: polling and all commands.
    [[nodiscard]] std::uint64_t device() const;
};

struct MeasuredRelease {
    std::string name;  // "at_completion", "verified"
    bool has_views{false};
    std::string outputs;  // SHA-256 of all outputs of the last step, in hexadecimal
    std::vector<MeasuredPhase> phases;

    // The phases of that name, in order.
    [[nodiscard]] std::vector<const MeasuredPhase*> all(std::string_view phase) const;
};

struct Measurement {
    std::string board;
    std::string counter;  // the unit of all counts: "instructions", or what the image's own counter counts
    std::string profile;
    std::uint64_t binary_bytes{0U};
    std::vector<MeasuredRelease> releases;

    // Throws NotAMeasurement.
    [[nodiscard]] const MeasuredRelease& release(std::string_view name) const;
};

// Reads what an image has printed; lines before its first, and those that begin with another word than its own, are
// others'. `counts` are those of the markers' intervals if they were counted outside, in order; the image prints none
// then. Throws NotAMeasurement, NotMeasured.
[[nodiscard]] Measurement read_measurement(std::string_view text, const std::vector<std::uint64_t>& counts);

// A program of a trace of the step, or commands that belong to none.
struct MeasuredLayer {
    std::string name;
    std::vector<std::string> kernels;  // of its launches, each once, in order
    std::uint32_t operation{0U};       // TraceCommand::operation
    std::uint32_t commands{0U};
    std::uint64_t macs{0U};
    std::uint64_t bytes_read{0U};
    std::uint64_t bytes_written{0U};
    std::optional<Cycles> bound;  // where the binary's costs are upper bounds
    std::uint64_t count{0U};
};

// A step by layers, in the order of its queues, and the commands of queues by their names. The sums of counts and of
// polling are those of the phase.
struct MeasuredStep {
    std::vector<MeasuredLayer> layers;
    std::vector<MeasuredLayer> queue_commands;
};
// Throws NotAMeasurement if the phase is of another workload.
[[nodiscard]] MeasuredStep layers_of(const MeasuredPhase& step, bool has_views, const Workload& workload,
                                     bool are_bounds);

}  // namespace pianola::timeline
