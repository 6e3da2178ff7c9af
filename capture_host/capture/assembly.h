// Assembly: the parts of a binary that every linker uses: traces in their segment, scripts, and their times.
//
// Everything is computed from the manifest.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "capture_host/binary/trace_walk.h"
#include "pianola_host/manifest.h"

namespace pianola::capture {

// A name that the manifest can hold: printable ASCII, not empty, not longer than the runtime accepts.
[[nodiscard]] std::string manifest_name(const std::string& name, const std::string& fallback);

// Appends a trace, at the next multiple of 64 bytes, with the number and cost of its commands. The end command belongs
// to no program. Throws LinkError if a word is no command.
void add_trace(const std::string& name, const targets::Words& words, const std::vector<ManifestProgram>& programs,
               const CommandSet& command_set, Manifest& manifest, Segments& segments);

// Names the source and this tool in the manifest. `fallback` replaces an empty name.
void set_provenance(const std::string& source_name, const char* fallback, const Sha256Digest& source_sha256,
                    Manifest& manifest);
// Appends a self-test vector.
void add_self_test(const std::vector<std::vector<std::uint8_t>>& inputs,
                   const std::vector<std::vector<std::uint8_t>>& outputs, SelfTestOrigin origin, Manifest& manifest,
                   Segments& segments);
// The end of DRAM.
[[nodiscard]] ManifestRegion trace_region(const DeviceDescription& device);

// Loads all traces, on queue 0, after the other commands of the set-up.
void load_traces(const Manifest& manifest, ManifestScript& setup);
void record(ManifestScript& script, std::uint32_t queue, std::uint32_t event);
void wait(ManifestScript& script, std::uint32_t queue, std::uint32_t event);

// The queue command of a script command, and the bytes of each of its transfers; one 0 if it is no transfer.
[[nodiscard]] QueueCommandKind queue_kind(ScriptCommandKind kind);
[[nodiscard]] std::vector<std::uint32_t> transfers_of(const Manifest& manifest, const ManifestCommand& command);

// The time of a script when its queues run in parallel, with the completion record that the session adds on every used
// queue: the runtime's bound for the script alone, on an idle device; records of earlier scripts count at its start.
[[nodiscard]] std::uint64_t script_cycles(const Manifest& manifest, const ManifestScript& script,
                                          const CommandSet& command_set);

// Sets the length of the step, and the deadlines of step and set-up: the given ones, in microseconds; for 0 four times
// the time of the commands, of a step on a core with that of a verified release, and no less than 10 ms. Throws
// LinkError if a script is too long, DeadlineError if a given deadline is too short.
void set_budgets(const CommandSet& command_set, std::uint32_t wanted_step_us, std::uint32_t wanted_setup_us,
                 Manifest& manifest);

}  // namespace pianola::capture
