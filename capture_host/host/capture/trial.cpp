#include "capture_host/host/capture/trial.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "capture_host/base/text.h"
#include "capture_host/binary/names.h"
#include "capture_host/binary/openssl_digest.h"
#include "capture_host/binary/refusal_text.h"
#include "capture_host/capture/expected.h"
#include "capture_host/host/device/device_state.h"
#include "hal/registry/registry.h"
#include "pianola_host/replay.h"

namespace pianola::host {
namespace {

using replay::Replay;
using replay::Tensors;

// "; ..." if a capacity refuses the file.
std::string remedy_for(ByteSpan file, const DeviceDescription& device, const Verdict& verdict) {
    const signing::DevelopmentTrust trust;
    const std::string remedy =
        capture::capacity_remedy(file, device, usual_target(device).command_set(), trust.get(), verdict);
    return remedy.empty() ? remedy : ("; " + remedy);
}

// Calls act(), which replays.
template <typename Act>
auto replaying(Act act) {
    try {
        return act();
    } catch (const replay::Stopped& stopped) {
        throw HostError{
            HostRule::kCaptureRefused,
            fmt::format("the captured workload was accepted, but does not replay ({})", status_name(stopped.status()))};
    }
}

std::unique_ptr<Replay> replay_of(ByteSpan file, const DeviceDescription& device, std::optional<std::uint32_t> vulkan) {
    SimulatorOptions options;
    options.memory_is_visible = false;  // as every device does
    options.executor = executor_for(vulkan);
    try {
        return std::make_unique<Replay>(file, usual_target(device), device, options);
    } catch (const replay::NotOffered& refused) {
        throw HostError{HostRule::kDeviceOptions, refused.what()};
    }
}

class Trial {
  public:
    Trial(const std::vector<std::uint8_t>& file, const DeviceDescription& device, std::optional<std::uint32_t> vulkan)
        : device_{device}, replay_{replay_of({file.data(), file.size()}, device_, vulkan)} {
        try {
            replaying([this] { replay_->load(); });
        } catch (const replay::Refused& refused) {
            throw TrialRefused{refused.verdict(), remedy_for(replay_->file(), device_, refused.verdict())};
        }
    }

    std::vector<Tensors> run(const std::vector<Tensors>& inputs) {
        return replaying([&] { return replay_->run(inputs); });
    }

    // Replays all vectors of the file.
    void test() {
        replaying([this] { replay_->self_test(); });
    }

    // `spec` is that of each device.
    Trial(const CapturedWorkload& workload, const DeviceDescription& spec, std::optional<std::uint32_t> vulkan)
        : Trial{workload.file, device_of(workload.manifest.target, spec), vulkan} {}

  private:
    // The mesh of the workload, and the profile that it needs.
    static DeviceDescription device_of(const capture::ManifestTarget& target, const DeviceDescription& spec) {
        DeviceDescription device = spec;
        device.mesh_rows = target.mesh_rows;
        device.mesh_columns = target.mesh_columns;
        device.capacities = &profile_of(target);
        return device;
    }

    DeviceDescription device_;
    std::unique_ptr<Replay> replay_;
};

void compare(const std::string& what, const std::vector<std::uint8_t>& is, const std::vector<std::uint8_t>& should) {
    if (is.size() != should.size()) {
        throw HostError{HostRule::kCompare,
                        fmt::format("{} has {} bytes, {} are right", what, is.size(), should.size())};
    }
    const std::optional<capture::TensorDifference> difference = capture::compare_tensors(should, is, 1U);
    if (difference.has_value()) {
        const std::uint64_t at = difference->element;
        throw HostError{HostRule::kCompare, fmt::format("{} differs at byte {}: it is 0x{:02X}, 0x{:02X} is right",
                                                        what, at, is[at], should[at])};
    }
}

}  // namespace

const Capacities& profile_of(const capture::ManifestTarget& target) {
    const Capacities* const profile = find_profile(target.profile);
    return (profile != nullptr) ? *profile : *kProfiles.back();
}

TrialRefused::TrialRefused(const Verdict& verdict, const std::string& remedy)
    : HostError{HostRule::kCaptureRefused,
                fmt::format("the runtime does not accept the file: {}{}", pianola::rule_id(verdict.rule), remedy)},
      verdict_{verdict},
      remedy_{remedy} {}

std::vector<Tensors> replay_workload(const CapturedWorkload& workload, const DeviceDescription& spec,
                                     const std::vector<Tensors>& inputs, std::optional<std::uint32_t> vulkan) {
    return Trial{workload, spec, vulkan}.run(inputs);
}

void compare_to_golden(const std::vector<Tensors>& outputs, const std::vector<Tensors>& golden) {
    if (outputs.size() != golden.size()) {
        throw HostError{HostRule::kCompare,
                        fmt::format("{} inferences are compared with {}", outputs.size(), golden.size())};
    }
    for (std::size_t i = 0U; i < outputs.size(); ++i) {
        if (outputs[i].size() != golden[i].size()) {
            throw HostError{HostRule::kCompare, fmt::format("inference {} has {} outputs, {} are right", i,
                                                            outputs[i].size(), golden[i].size())};
        }
        for (std::size_t k = 0U; k < outputs[i].size(); ++k) {
            compare(fmt::format("output {} of inference {}", k, i), outputs[i][k], golden[i][k]);
        }
    }
}

void compare_to_capture(const CapturedWorkload& workload, const DeviceDescription& spec,
                        std::optional<std::uint32_t> vulkan) {
    compare_to_golden(replay_workload(workload, spec, workload.inputs, vulkan), workload.outputs);
}

void try_load(const std::vector<std::uint8_t>& file, const DeviceDescription& spec) {
    static_cast<void>(Trial{file, spec, std::nullopt});
}

void try_workload(const CapturedWorkload& workload, const DeviceDescription& spec) {
    Trial trial{workload, spec, std::nullopt};
    compare_to_golden(trial.run(workload.inputs), workload.outputs);
    trial.test();
}

namespace {

constexpr std::size_t kNamedBuffers = 4U;

struct Place {
    std::uint32_t script{0U};
    std::uint32_t command{0U};
};

class Explainer {
  public:
    Explainer(const capture::LinkedBinary& linked, const DeviceState& device) : linked_{linked}, device_{device} {}

    [[nodiscard]] std::string command(const Place& place) const {
        const capture::ManifestCommand& command = at(place);
        return fmt::format("command {} of {} ({} on queue {})", place.command, script(place), action(command),
                           command.queue);
    }

    [[nodiscard]] std::string conflict(const Place& later, const Place& earlier, bool bytes) const {
        // The other queue's last command before this one: if it is not before it in the step, it is in the previous
        // step.
        const bool across = (later.script == earlier.script) && (earlier.command >= later.command);
        const std::uint32_t first_queue = at(earlier).queue;
        const std::uint32_t second_queue = at(later).queue;
        return fmt::format(
            "{} and {}{} both {}, and no event orders them. Record an event on queue {} after the latter, and wait for "
            "it on queue {} before the former{}{}",
            command(later), command(earlier), across ? " in the step before" : "",
            bytes ? "touch " + shared(later, earlier) : "use " + shared_cores(later, earlier), first_queue,
            second_queue,
            across ? ", one step later; a record before the first step, or in the prologue, lets that one begin" : "",
            bytes ? ""
                  : "; or give each queue cores of its own: programs on other core ranges, or results of operations "
                    "sharded in L1 over other core ranges");
    }

  private:
    [[nodiscard]] const capture::ManifestCommand& at(const Place& place) const {
        return linked_.manifest.scripts.at(place.script).commands.at(place.command);
    }

    [[nodiscard]] const char* script(const Place& place) const {
        return script_name(linked_.manifest.scripts.at(place.script).kind);
    }

    [[nodiscard]] std::string action(const capture::ManifestCommand& command) const {
        const capture::Manifest& manifest = linked_.manifest;
        switch (command.kind) {
            case ScriptCommandKind::kWriteInput:
                return fmt::format("write of input '{}'", manifest.inputs.at(command.object).name);
            case ScriptCommandKind::kReadOutput:
                return fmt::format("read of output '{}'", manifest.outputs.at(command.object).name);
            case ScriptCommandKind::kReplayTrace: {
                std::vector<std::string> programs;
                for (const capture::ManifestProgram& program : manifest.traces.at(command.object).programs) {
                    programs.push_back(program.name);
                }
                return fmt::format("programs {}", fmt::join(programs, ", "));
            }
            case ScriptCommandKind::kRecordEvent:
                return fmt::format("record of event {}", command.object);
            case ScriptCommandKind::kWaitEvent:
                return fmt::format("wait for event {}", command.object);
            case ScriptCommandKind::kWriteBuffer:
            case ScriptCommandKind::kLoadTrace:
            case ScriptCommandKind::kUnspecified:
            default:
                return "transfer";
        }
    }

    // The commands of the trace that `command` replays.
    template <typename Action>
    void for_each_command_of(const capture::ManifestCommand& command, const Action& action) const {
        const capture::ManifestTrace& trace = linked_.manifest.traces.at(command.object);
        const targets::Words all = targets::words_of(linked_.segments.traces);
        const WordSpan words =
            WordSpan{all.data(), all.size()}.subspan(trace.offset_bytes / sizeof(std::uint32_t), trace.word_count);
        (void)targets::for_each_command(
            device_.command_set, words,
            [&action](std::uint32_t /*at*/, const DecodedCommand& decoded) { action(decoded); });
    }

    [[nodiscard]] targets::AccessedBytes accessed(const capture::ManifestCommand& command) const {
        targets::AccessedBytes bytes;
        if (command.kind == ScriptCommandKind::kReplayTrace) {
            for_each_command_of(command, [&bytes](const DecodedCommand& decoded) { bytes.add(decoded); });
        } else if (command.kind == ScriptCommandKind::kWriteInput) {
            add_tensor(linked_.manifest.inputs.at(command.object), bytes.writes);
        } else if (command.kind == ScriptCommandKind::kReadOutput) {
            add_tensor(linked_.manifest.outputs.at(command.object), bytes.reads);
        } else {
            // Touches no memory.
        }
        return bytes;
    }

    // One entry for each core of the grid, row by row. Commands other than dispatches run on all of them.
    [[nodiscard]] std::vector<bool> cores_of(const capture::ManifestCommand& command) const {
        const DeviceDescription& spec = device_.spec;
        std::vector<bool> cores(std::size_t{spec.grid_columns} * spec.grid_rows, false);
        for_each_command_of(command, [&cores](const DecodedCommand& decoded) {
            if (decoded.kind == CommandKind::kDispatch) {
                cores.at(decoded.core) = true;
            } else if (decoded.kind == CommandKind::kLaunch) {
                cores.assign(cores.size(), true);
            } else {
                // Uses no core.
            }
        });
        return cores;
    }

    [[nodiscard]] std::string shared_cores(const Place& later, const Place& earlier) const {
        const std::vector<bool> one = cores_of(at(later));
        const std::vector<bool> other = cores_of(at(earlier));
        std::vector<std::string> names;
        for (std::size_t i = 0U; i < one.size(); ++i) {
            if (one[i] && other[i]) {
                names.push_back(fmt::format("({}, {})", i % device_.spec.grid_columns, i / device_.spec.grid_columns));
            }
        }
        const bool all = names.size() == one.size();
        return all ? fmt::format("all {} cores", one.size())
                   : fmt::format("core{} {}", (names.size() == 1U) ? "" : "s", fmt::join(names, ", "));
    }

    [[nodiscard]] ByteRange range_of(const capture::ManifestBuffer& buffer) const {
        const std::uint64_t begin =
            std::uint64_t{linked_.manifest.regions.at(buffer.region).base} + buffer.offset_bytes;
        return {begin, begin + buffer.size_bytes};
    }

    void add_tensor(const capture::ManifestTensor& tensor, RangeSet& set) const {
        for (std::uint32_t i = 0U; i < tensor.buffer_count; ++i) {
            const ByteRange range = range_of(linked_.manifest.buffers.at(tensor.buffer + i));
            set.add(range.begin, range.end);
        }
    }

    // The bytes that both commands touch and one of them writes, by the buffers that hold them.
    [[nodiscard]] std::string shared(const Place& later, const Place& earlier) const {
        const targets::AccessedBytes one = accessed(at(later));
        const targets::AccessedBytes other = accessed(at(earlier));
        RangeSet common = one.writes.common(other.writes);
        common.add(one.writes.common(other.reads));
        common.add(one.reads.common(other.writes));
        std::vector<std::string> names;
        RangeSet named;
        for (const capture::ManifestBuffer& buffer : linked_.manifest.buffers) {
            const ByteRange range = range_of(buffer);
            if (common.intersects(range.begin, range.end)) {
                names.push_back(fmt::format("'{}'", buffer.name));
                named.add(range.begin, range.end);
            }
        }
        for (const auto& [id, buffer] : device_.buffers) {
            if (touches(common, *buffer) && !touches(named, *buffer)) {
                names.push_back(fmt::format("buffer {} at 0x{:08X}", id, buffer->address()));
                named.add(addresses_of(*buffer));
            }
        }
        for (const ByteRange& range : common.ranges()) {
            for (const ByteRange& rest : named.missing(range.begin, range.end)) {
                names.push_back(
                    fmt::format("{} bytes at 0x{:08X}, of a buffer that was freed", rest.end - rest.begin, rest.begin));
            }
        }
        if (names.size() > kNamedBuffers) {
            names.resize(kNamedBuffers);
            names.emplace_back("others");
        }
        return fmt::format("{}", fmt::join(names, ", "));
    }

    const capture::LinkedBinary& linked_;
    const DeviceState& device_;
};

}  // namespace

std::string explain_refusal(const capture::LinkedBinary& linked, const Verdict& verdict, const DeviceState& device) {
    const std::string numbers = capture::describe_numbers(verdict);
    std::string text =
        fmt::format("the runtime does not accept the captured workload: {} at {}{}", pianola::rule_id(verdict.rule),
                    files::path_text(verdict.path), numbers.empty() ? numbers : (" (" + numbers + ")"));
    const Span<const FieldPath::Step> steps = verdict.path.steps();
    const Explainer explainer{linked, device};
    if ((verdict.rule == Rule::kOrdRace) || (verdict.rule == Rule::kOrdCores)) {
        const auto place = [](std::uint64_t number) {
            constexpr std::uint32_t kScriptShift = 16U;
            return Place{static_cast<std::uint32_t>(number >> kScriptShift),
                         static_cast<std::uint32_t>(number & 0xFFFFU)};
        };
        text += ": " + explainer.conflict(place(verdict.actual), place(verdict.limit), verdict.rule == Rule::kOrdRace);
    } else if ((steps.size() > 1U) && (std::string_view{steps[0].name} == "scripts") &&
               (std::string_view{steps[1].name} == "commands")) {
        text += ": " + explainer.command({steps[0].index, steps[1].index});
    } else {
        // The path says it.
    }
    return text +
           ". docs/reference/rules.md says what the rule asks for; the option refused_file keeps the file for `pianola "
           "verify`";
}

}  // namespace pianola::host
