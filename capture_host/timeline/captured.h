// The binary itself on the simulator, as slices of time.
//
// The picture that is measured rather than modelled, and what the model is held against. Simulators of a mesh have one
// time. The simulator's host takes no time, so that the host's lane shows only when a step is under way.
#pragma once

#include <vector>

#include "capture_host/timeline/picture.h"
#include "capture_host/timeline/schedule.h"
#include "hal/host/target.h"
#include "pianola/span.h"

namespace pianola::timeline {

// Whether the target has a simulator that logs commands with their times.
[[nodiscard]] bool can_run_captured(const Target& target);
// Steps after which each takes exactly what the one before took; with several in flight, once they are.
[[nodiscard]] std::uint32_t steps_to_measure(const Workload& workload);

// Replays `steps` steps on inputs of zeros and calls the sink with what the simulators' logs say, from the start of the
// first step. `pattern` is the session pattern of this file; it gives the names, and must outlive what the sink keeps.
// Throws what replay::Replay throws, and std::logic_error where the log is not made of the pattern's commands.
void run_captured(ByteSpan file, const Target& target, const DeviceDescription& device, const Pattern& pattern,
                  std::uint32_t steps, const Sink& sink);

// When each step must have completed, of a picture of what run_captured() gives: its deadline after its submission.
// Empty where the binary has none.
[[nodiscard]] std::vector<Cycles> deadlines_of(const Panel& panel, const Workload& workload, std::uint32_t steps);

}  // namespace pianola::timeline
