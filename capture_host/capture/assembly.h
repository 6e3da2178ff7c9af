// Assembly: what every linker puts a binary together with: traces in their segment, scripts, and how long they take.
//
// The manifest itself is what all of it is computed from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "capture_host/binary/trace_walk.h"
#include "pianola_host/manifest.h"

namespace pianola::capture {

// Appends a trace, at the next multiple of 64 bytes, with what its commands are and cost. The end command belongs to
// none of the programs. Throws LinkError where a word is no command.
void add_trace(const std::string& name, const targets::Words& words, const std::vector<ManifestProgram>& programs,
               const CommandSet& command_set, Manifest& manifest, Segments& segments);

// The end of DRAM.
[[nodiscard]] ManifestRegion trace_region(const DeviceDescription& device);

// Loads all traces, on queue 0, behind what the set-up does already.
void load_traces(const Manifest& manifest, ManifestScript& setup);
void record(ManifestScript& script, std::uint32_t queue, std::uint32_t event);
void wait(ManifestScript& script, std::uint32_t queue, std::uint32_t event);

// What a device's queue gets for a script command, and the bytes of each transfer that it makes; one 0 for what is no
// transfer.
[[nodiscard]] QueueCommandKind queue_kind(ScriptCommandKind kind);
[[nodiscard]] std::vector<std::uint32_t> transfers_of(const Manifest& manifest, const ManifestCommand& command);

// How long a script takes when its queues run side by side, with the completion record that the session adds on every
// queue that is used: what the runtime proves, of the script alone, on an idle device; records of earlier scripts lie
// at its start.
[[nodiscard]] std::uint64_t script_cycles(const Manifest& manifest, const ManifestScript& script,
                                          const CommandSet& command_set);

// Length of the step, and deadlines of step and set-up: those that are wanted, in microseconds; for 0 four times what
// the commands take, and no less than 10 ms. Throws LinkError where a script is too long, DeadlineError where a wish is
// too short.
void set_budgets(const CommandSet& command_set, std::uint32_t wanted_step_us, std::uint32_t wanted_setup_us,
                 Manifest& manifest);

}  // namespace pianola::capture
