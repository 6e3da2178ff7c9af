// Linker: gives a recorded workload its addresses and makes a trace binary of it.
//
// Plans activation memory by lifetime, lays out the regions, makes the command words, the scripts and the budgets. All
// figures are computed from the result, never estimated.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "capture_host/capture/recorder.h"
#include "hal/devices/refdev/host/refdev_target.h"
#include "hal/devices/refdev/kernels/arguments.h"
#include "pianola_host/manifest.h"

namespace pianola::capture {

// Two steps overlap one step's transfers with another's computation; more steps also hide the host's own time.
inline constexpr std::uint32_t kUsualStepsInFlight = 2U;

struct LinkOptions {
    DeviceDescription spec{refdev::target().usual_device()};
    std::uint32_t queues{1U};  // 1: everything on queue 0. 2: traces on queue 0, inputs and outputs on queue 1
    // Overlaps the transfers of one step with the computation of another: needs two queues. A copy of each input and
    // output separates the transferred bytes from the computed ones; both copies are commands of separate traces, so
    // that events fit between.
    bool is_pipelined{false};
    // The most steps of a pipelined workload that may be under way at once.
    std::uint32_t steps_in_flight{kUsualStepsInFlight};
    // Deadlines of a step and of the set-up. 0: as set_budgets() has them (assembly.h).
    std::uint32_t step_deadline_us{0U};
    std::uint32_t setup_deadline_us{0U};
    // Layers are packed for the cores that read this layout, if the result provably stays the same.
    refdev::WeightsLayout pack{refdev::WeightsLayout::kPlain};
};

// The workload does not fit the device: what() states the resource, the need and the limit.
class LinkError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// A given deadline is shorter than the time of the commands.
class DeadlineError : public LinkError {
  public:
    DeadlineError(ScriptKind script, const std::string& what) : LinkError{what}, script_{script} {}
    [[nodiscard]] ScriptKind script() const noexcept { return script_; }

  private:
    ScriptKind script_;  // kStep or kSetup
};

// A memory of the device is too small for the workload; for callers that know how a user selects another device.
// `member` is the member of the device description, `needed_bytes` its smallest sufficient value.
class MemoryError : public LinkError {
  public:
    MemoryError(const char* member, std::uint64_t needed_bytes, const std::string& what)
        : LinkError{what}, member_{member}, needed_bytes_{needed_bytes} {}
    [[nodiscard]] const char* member() const noexcept { return member_; }
    [[nodiscard]] std::uint64_t needed_bytes() const noexcept { return needed_bytes_; }

  private:
    const char* member_;  // static lifetime
    std::uint64_t needed_bytes_;
};

struct LinkSummary {
    std::uint32_t operators{0U};
    std::uint32_t commands{0U};  // device commands, the end command included
    std::uint64_t weight_bytes{0U};
    bool weights_in_file{false};                     // which the device reads itself
    std::uint64_t activation_bytes{0U};              // as planned
    std::uint64_t activation_sum_bytes{0U};          // without sharing
    std::uint64_t activation_lower_bound_bytes{0U};  // of any plan (memory_planner.h)
    bool activations_in_l1{false};
    std::uint64_t dram_bytes{0U};  // in use, without the trace region
    std::uint64_t input_bytes{0U};
    std::uint64_t output_bytes{0U};
    std::uint64_t state_bytes{0U};
    std::uint64_t trace_bytes{0U};  // exactly what the trace region must hold
    std::uint64_t step_cycles{0U};
    std::uint32_t packed_layers{0U};
};

// A binary in pieces; write_trace_binary() makes a file of them.
struct LinkedBinary {
    Manifest manifest;
    Segments segments;
};
struct LinkedWorkload : LinkedBinary {
    LinkSummary summary;
};

// Throws LinkError.
[[nodiscard]] LinkedWorkload link(const Recorder& recorded, const LinkOptions& options);

}  // namespace pianola::capture
