#include "capture_host/capture/assembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "capture_host/capture/link.h"
#include "hal/host/device_numbers.h"
#include "pianola/config.h"

namespace pianola::capture {
namespace {

constexpr std::uint64_t kCyclesPerUsDivisor = 1000U;  // clock_khz / 1000 cycles make a microsecond
// The default deadline: four times the time of the commands, and never less than a usual cycle of an ECU's tasks,
// because a result counts when the ECU sees it.
constexpr std::uint64_t kDeadlineFactor = 4U;
constexpr std::uint64_t kShortestDeadlineUs = 10'000U;

// What a verified release takes on a core for each byte of weights and traces: 25,500 instructions at most for a slice
// of 16,384 bytes (verified_release_per_slice in tests/baremetal/thresholds.json).
constexpr std::uint64_t kReleaseInstructionsPerByte = 2U;

// Rounded up.
std::uint64_t us_of(std::uint64_t cycles, std::uint32_t clock_khz) {
    return ((cycles * kCyclesPerUsDivisor) + (clock_khz - 1U)) / clock_khz;
}

// The deadline, in microseconds, for commands that take that many cycles. The default leaves room for more of them.
std::uint32_t deadline_us(ScriptKind script, std::uint64_t cycles, std::uint64_t more, std::uint32_t clock_khz,
                          std::uint32_t wanted_us) {
    const std::uint64_t us = us_of(cycles, clock_khz);
    if (us > UINT32_MAX) {
        throw LinkError{fmt::format("a script takes {} us, a deadline is at most {}", us, UINT32_MAX)};
    }
    if (wanted_us == 0U) {
        const std::uint64_t usual_us = std::max(us_of(cycles + more, clock_khz) * kDeadlineFactor, kShortestDeadlineUs);
        return static_cast<std::uint32_t>(std::min(usual_us, std::uint64_t{UINT32_MAX}));
    }
    if (wanted_us < us) {
        constexpr std::uint64_t kHundredths = 100U;
        const std::uint64_t hundredths = ((us * kHundredths) + (wanted_us - 1U)) / wanted_us;  // never 1.00
        throw DeadlineError{script,
                            fmt::format("the deadline is too short: {} takes {} us, {} are wanted: too slow by a "
                                        "factor of {}.{:02}",
                                        (script == ScriptKind::kSetup) ? "the set-up" : "a step", us, wanted_us,
                                        hundredths / kHundredths, hundredths % kHundredths)};
    }
    return wanted_us;
}

}  // namespace

std::string manifest_name(const std::string& name, const std::string& fallback) {
    constexpr char kFirstPrintable = 0x20;
    constexpr char kLastPrintable = 0x7E;
    std::string result = name.substr(0U, kMaxNameBytes);
    for (char& character : result) {
        if ((character < kFirstPrintable) || (character > kLastPrintable)) {
            character = '?';
        }
    }
    return result.empty() ? fallback : result;
}

void add_trace(const std::string& name, const targets::Words& words, const std::vector<ManifestProgram>& programs,
               const CommandSet& command_set, Manifest& manifest, Segments& segments) {
    const targets::TraceMeasure measure = targets::measure_trace(command_set, words);
    if (measure.words != words.size()) {
        throw LinkError{fmt::format("word {} of trace '{}' is no command of the device", measure.words, name)};
    }
    name_kernels(command_set, measure.kernels, manifest.target);
    segments.traces.resize(align_up(segments.traces.size()));
    manifest.traces.push_back({name, static_cast<std::uint32_t>(segments.traces.size()),
                               static_cast<std::uint32_t>(words.size()), measure.commands, measure.cycles, programs});
    const std::vector<std::uint8_t> bytes = targets::bytes_of(words);
    segments.traces.insert(segments.traces.end(), bytes.begin(), bytes.end());
}

void set_provenance(const std::string& source_name, const char* fallback, const Sha256Digest& source_sha256,
                    Manifest& manifest) {
    manifest.source_name = manifest_name(source_name, fallback);
    manifest.source_sha256 = source_sha256;
    manifest.tool_version = "pianola " PIANOLA_VERSION;
}

void add_self_test(const std::vector<std::vector<std::uint8_t>>& inputs,
                   const std::vector<std::vector<std::uint8_t>>& outputs, SelfTestOrigin origin, Manifest& manifest,
                   Segments& segments) {
    for (const auto* const tensors : {&inputs, &outputs}) {
        for (const std::vector<std::uint8_t>& tensor : *tensors) {
            segments.self_tests.insert(segments.self_tests.end(), tensor.begin(), tensor.end());
        }
    }
    manifest.self_test_origins.push_back(origin);
}

ManifestRegion trace_region(const DeviceDescription& device) {
    return {"traces", RegionKind::kTrace, MemoryKind::kDram,
            device.dram_base + (device.dram_bytes - device.trace_region_bytes), device.trace_region_bytes};
}

void load_traces(const Manifest& manifest, ManifestScript& setup) {
    for (std::uint32_t i = 0U; i < manifest.traces.size(); ++i) {
        setup.commands.push_back({ScriptCommandKind::kLoadTrace, 0U, i, 0U});
    }
}

void record(ManifestScript& script, std::uint32_t queue, std::uint32_t event) {
    script.commands.push_back({ScriptCommandKind::kRecordEvent, queue, event, 0U});
}

void wait(ManifestScript& script, std::uint32_t queue, std::uint32_t event) {
    script.commands.push_back({ScriptCommandKind::kWaitEvent, queue, event, 0U});
}

QueueCommandKind queue_kind(ScriptCommandKind kind) {
    switch (kind) {
        case ScriptCommandKind::kReadOutput:
            return QueueCommandKind::kRead;
        case ScriptCommandKind::kReplayTrace:
            return QueueCommandKind::kReplay;
        case ScriptCommandKind::kRecordEvent:
            return QueueCommandKind::kRecordEvent;
        case ScriptCommandKind::kWaitEvent:
            return QueueCommandKind::kWaitEvent;
        case ScriptCommandKind::kWriteBuffer:
        case ScriptCommandKind::kLoadTrace:
        case ScriptCommandKind::kWriteInput:
        case ScriptCommandKind::kUnspecified:
        default:
            return QueueCommandKind::kWrite;
    }
}

std::vector<std::uint32_t> transfers_of(const Manifest& manifest, const ManifestCommand& command) {
    switch (command.kind) {
        case ScriptCommandKind::kWriteBuffer:
            return {manifest.buffers.at(command.object).size_bytes};
        case ScriptCommandKind::kLoadTrace: {
            const std::uint32_t words = manifest.traces.at(command.object).word_count;
            const std::uint32_t bytes = words * static_cast<std::uint32_t>(sizeof(std::uint32_t));
            const bool is_last = (command.object + 1U) == manifest.traces.size();
            return {is_last ? bytes : align_up(bytes)};  // with the zeros before the next
        }
        case ScriptCommandKind::kWriteInput:
        case ScriptCommandKind::kReadOutput: {
            const auto& tensors = (command.kind == ScriptCommandKind::kWriteInput) ? manifest.inputs : manifest.outputs;
            const ManifestTensor& tensor = tensors.at(command.object);
            std::vector<std::uint32_t> sizes;
            for (std::uint32_t i = 0U; i < tensor.buffer_count; ++i) {
                sizes.push_back(manifest.buffers.at(tensor.buffer + i).size_bytes);
            }
            return sizes;
        }
        case ScriptCommandKind::kReplayTrace:
        case ScriptCommandKind::kRecordEvent:
        case ScriptCommandKind::kWaitEvent:
        case ScriptCommandKind::kUnspecified:
        default:
            return {0U};
    }
}

namespace {

[[nodiscard]] bool is_for(const ManifestCommand& command, std::uint32_t row, std::uint32_t column) {
    const DeviceRange& devices = command.devices;
    return (row >= devices.row) && (row < (std::uint32_t{devices.row} + devices.rows)) && (column >= devices.column) &&
           (column < (std::uint32_t{devices.column} + devices.columns));
}

// The cycles of the device at that place of the mesh.
std::uint64_t device_cycles(const Manifest& manifest, const ManifestScript& script, const CommandSet& command_set,
                            std::uint32_t row, std::uint32_t column) {
    std::array<targets::QueueTime, kMaxQueues> times;
    std::array<std::uint64_t, kMaxEvents> recorded{};
    std::array<bool, kMaxQueues> used{};
    const auto cost = [&command_set](QueueCommandKind kind, std::uint32_t size_bytes) {
        QueueCommand command;
        command.kind = kind;
        command.size_bytes = size_bytes;
        return command_set.queue_cycles(command);
    };
    for (const ManifestCommand& command : script.commands) {
        if (!is_for(command, row, column)) {
            continue;
        }
        targets::QueueTime& time = times.at(command.queue);
        used.at(command.queue) = true;
        if (command.kind == ScriptCommandKind::kWaitEvent) {
            time.wait_until(recorded.at(command.object));
        } else if (command.kind == ScriptCommandKind::kReplayTrace) {
            time.advance(manifest.traces.at(command.object).cost_cycles);
        } else {
            // Only its own cost.
        }
        for (const std::uint32_t size_bytes : transfers_of(manifest, command)) {
            time.advance(cost(queue_kind(command.kind), size_bytes));
        }
        if (command.kind == ScriptCommandKind::kRecordEvent) {
            recorded.at(command.object) = time.now();
        }
    }
    std::uint64_t longest = 0U;
    for (std::size_t queue = 0U; queue < times.size(); ++queue) {
        const std::uint64_t notify = used.at(queue) ? cost(QueueCommandKind::kNotify, 0U) : 0U;
        longest = std::max(longest, times.at(queue).now() + notify);
    }
    return longest;
}

}  // namespace

std::uint64_t script_cycles(const Manifest& manifest, const ManifestScript& script, const CommandSet& command_set) {
    std::uint64_t longest = 0U;
    for (std::uint32_t row = 0U; row < manifest.target.mesh_rows; ++row) {
        for (std::uint32_t column = 0U; column < manifest.target.mesh_columns; ++column) {
            longest = std::max(longest, device_cycles(manifest, script, command_set, row, column));
        }
    }
    return longest;
}

namespace {

// The instructions of a verified release where a core executes the kernels, else 0. What the set-up moves to a device,
// and what the device reads in the file, is compared.
std::uint64_t release_instructions(const Manifest& manifest) {
    if (manifest.target.core_khz == 0U) {
        return 0U;
    }
    std::uint64_t bytes = 0U;
    for (const ManifestRegion& region : manifest.regions) {
        const std::uint64_t devices = std::uint64_t{manifest.target.mesh_rows} * manifest.target.mesh_columns;
        bytes += (region.memory == MemoryKind::kFile) ? (region.size_bytes * devices) : 0U;
    }
    for (const ManifestScript& script : manifest.scripts) {
        if (script.kind != ScriptKind::kSetup) {
            continue;
        }
        for (const ManifestCommand& command : script.commands) {
            for (const std::uint32_t size_bytes : transfers_of(manifest, command)) {
                bytes += std::uint64_t{size_bytes} * command.devices.rows * command.devices.columns;
            }
        }
    }
    return bytes * kReleaseInstructionsPerByte;
}

}  // namespace

void set_budgets(const CommandSet& command_set, std::uint32_t wanted_step_us, std::uint32_t wanted_setup_us,
                 Manifest& manifest) {
    std::uint64_t longest = 0U;
    std::uint64_t setup = 0U;
    for (const ManifestScript& script : manifest.scripts) {
        const std::uint64_t cycles = script_cycles(manifest, script, command_set);
        if (script.kind == ScriptKind::kSetup) {
            setup = cycles;
            continue;
        }
        longest = std::max(longest, cycles);
        if (script.kind == ScriptKind::kStep) {
            manifest.step_cycles = cycles;
        }
    }
    if (longest > kMaxScriptCycles) {
        throw LinkError{fmt::format("a script takes {} cycles, {} are admitted", longest, kMaxScriptCycles)};
    }
    const std::uint32_t clock_khz = manifest.target.clock_khz;
    manifest.step_deadline_us =
        deadline_us(ScriptKind::kStep, longest, release_instructions(manifest), clock_khz, wanted_step_us);
    manifest.setup_deadline_us = deadline_us(ScriptKind::kSetup, setup, 0U, clock_khz, wanted_setup_us);
}

}  // namespace pianola::capture
