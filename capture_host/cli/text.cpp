#include <fmt/format.h>
#include <unistd.h>

#include "capture_host/cli/cli.h"

namespace pianola::cli {
namespace {

constexpr std::size_t kPathText = 256U;

std::string path_text(const FieldPath& path) {
    std::array<char, kPathText> text{};
    const std::size_t length = format_path(path, Span<char>{text});
    return {text.data(), length};
}

const char* name_of(FaultStage stage) {
    switch (stage) {
        case FaultStage::kNone:
            return "none";
        case FaultStage::kReset:
            return "reset";
        case FaultStage::kProgram:
            return "programming";
        case FaultStage::kSetup:
            return "set-up";
        case FaultStage::kReadBack:
            return "read-back";
        case FaultStage::kSubmit:
            return "submit";
        case FaultStage::kStep:
            return "step";
        case FaultStage::kSelfTest:
            return "self-test";
        case FaultStage::kParameter:
            return "setting a parameter";
        default:
            return "?";
    }
}

const char* name_of(Status status) {
    switch (status) {
        case Status::kTimeout:
            return "deadline passed";
        case Status::kDeviceFault:
            return "device fault";
        case Status::kIntegrity:
            return "results differ from what was proved or recorded";
        default:
            return "fault";
    }
}

// Whether the two numbers of a refusal stand for commands.
bool names_commands(Rule rule) {
    return (rule == Rule::kOrdRace) || (rule == Rule::kOrdCores);
}

// The commands of a script, by name: what such a rule says as numbers. They come after the manifest has been proved to
// be well-formed, so that the indices are good.
struct NamedCommand {
    std::string text;
    std::uint32_t queue{0U};
};
NamedCommand command_by_name(const Image& image, std::uint64_t name) {
    constexpr std::uint32_t kScriptShift = 16U;
    constexpr std::uint32_t kIndexMask = 0xFFFFU;
    const auto script = static_cast<std::uint32_t>(name >> kScriptShift);
    const auto index = static_cast<std::uint32_t>(name & kIndexMask);
    const ScriptCommandView view = image.script_command(script, index);
    return {fmt::format("{} {} on queue {} (scripts[{}].commands[{}], {})", cli::name_of(view.kind), view.object,
                        view.queue, script, index, cli::name_of(image.script(script).kind)),
            view.queue};
}

}  // namespace

std::string describe_verdict(const Verdict& verdict, const Image& image) {
    std::string text = describe_verdict(verdict);
    if (names_commands(verdict.rule)) {
        const NamedCommand later = command_by_name(image, verdict.actual);
        const NamedCommand earlier = command_by_name(image, verdict.limit);
        text += fmt::format(
            "\n  between {}\n      and {}{}\n  missing an event that queue {} records behind the first and queue {} "
            "waits for in "
            "front of the second",
            earlier.text, later.text, (verdict.actual <= verdict.limit) ? " of the next step" : "", earlier.queue,
            later.queue);
    }
    DeviceDescription device;
    refdev::describe({}, device);
    if (verdict.rule == Rule::kTgtFamily) {
        const NameView family = image.target().device_family;
        text += fmt::format("\n  found   {}, expected {}", std::string{family.begin(), family.end()}, device.family);
    } else if (verdict.rule == Rule::kTgtKernelLibrary) {
        text += fmt::format("\n  found   {}, expected {}", to_hex(image.target().kernel_library),
                            to_hex(ByteSpan{device.kernel_library}));
    } else {
        // The rule's numbers say it.
    }
    return text;
}

std::string describe_views(const Plan& plan, const Image& image) {
    const PlannedViews& views = plan.views;
    const PlannedCommand& planned = plan.commands.at(views.command);
    const bool is_output = views.tensor >= kMaxInputs;
    const std::uint32_t index = views.tensor - (is_output ? kMaxInputs : 0U);
    const auto text = [&](const char* what, bool names_command) {
        constexpr std::uint32_t kScriptShift = 16U;
        const TensorView tensor = is_output ? image.output(index) : image.input(index);
        const std::uint32_t name = (std::uint32_t{planned.script} << kScriptShift) | planned.index;
        return fmt::format("{}{}{} {} '{}'{}", names_command ? command_by_name(image, name).text : std::string{},
                           names_command ? what : "", is_output ? "output" : "input", index,
                           std::string{tensor.name.begin(), tensor.name.end()}, names_command ? "" : what);
    };
    switch (views.answer) {
        case ViewsAnswer::kProved:
            return {};
        case ViewsAnswer::kStepsOverlap:
            return "steps overlap";
        case ViewsAnswer::kInPieces:
            return text(" lies in several buffers", false);
        case ViewsAnswer::kShared:
            return text(" shares bytes with another tensor", false);
        case ViewsAnswer::kInputWritten:
            return text(" overwrites ", true);
        case ViewsAnswer::kInputRead:
            return text(" reads, where no step has just written it, ", true);
        case ViewsAnswer::kOutputWritten:
            return text(" overwrites, behind the transfer that reads it, ", true);
        case ViewsAnswer::kNotLooked:
        default:
            return "the proofs were not made";
    }
}

std::string describe_verdict(const Verdict& verdict) {
    if (is_ok(verdict.status)) {
        return "accepted";
    }
    std::string text =
        fmt::format("refused: {}: {}\n  field   {}\n  offset  {} (0x{:X})", rule_id(verdict.rule),
                    rule_message(verdict.rule), path_text(verdict.path), verdict.file_offset, verdict.file_offset);
    if ((verdict.actual != verdict.limit) &&
        !names_commands(verdict.rule)) {  // rules that compare no numbers leave both at zero
        text += fmt::format("\n  found   {}, expected or limit {}", verdict.actual, verdict.limit);
    }
    return text;
}

nlohmann::json verdict_to_json(const Verdict& verdict) {
    if (is_ok(verdict.status)) {
        return {{"accepted", true}};
    }
    return {{"accepted", false},
            {"rule", rule_id(verdict.rule)},
            {"message", rule_message(verdict.rule)},
            {"field", path_text(verdict.path)},
            {"offset", verdict.file_offset},
            {"actual", verdict.actual},
            {"limit", verdict.limit}};
}

std::string describe_status(Status status) {
    switch (status) {
        case Status::kInvalidArgument:
            return "it does not take these arguments";
        case Status::kInvalidState:
            return "it does not belong in this state";
        case Status::kFaultLatched:
            return "a fault is latched";
        default:
            return fmt::format("status 0x{:08X}", static_cast<std::uint32_t>(status));
    }
}

std::string describe_fault(const FaultRecord& fault) {
    return fmt::format(
        "{} in {}: queue {}, command {}, address 0x{:08X}, device says: {}; {} us after the start, deadline {} us",
        name_of(fault.status), name_of(fault.stage), fault.queue, fault.command, fault.address,
        name_of(fault.device_fault), fault.time_us - fault.started_us, fault.deadline_us);
}

const char* name_of(DeviceFault fault) {
    switch (fault) {
        case DeviceFault::kNone:
            return "none";
        case DeviceFault::kUnknownCommand:
            return "unknown command";
        case DeviceFault::kBadArgument:
            return "bad argument";
        case DeviceFault::kUnknownKernel:
            return "unknown kernel";
        case DeviceFault::kBus:
            return "access outside the regions";
        case DeviceFault::kHostMemory:
            return "transfer outside the bound host memory";
        case DeviceFault::kTraceOverrun:
            return "trace without end";
        default:
            return "?";
    }
}

const char* name_of(ElementType type) {
    constexpr std::array<const char*, 7> kNames{"?", "int8", "uint8", "int16", "int32", "float32", "bool"};
    return kNames.at(static_cast<std::size_t>(type));
}
const char* name_of(RegionKind kind) {
    constexpr std::array<const char*, 7> kNames{"?", "weights", "input", "output", "activation", "trace", "shared"};
    return kNames.at(static_cast<std::size_t>(kind));
}
const char* name_of(MemoryKind kind) {
    constexpr std::array<const char*, 3> kNames{"?", "DRAM", "L1"};
    return kNames.at(static_cast<std::size_t>(kind));
}
const char* name_of(ScriptKind kind) {
    constexpr std::array<const char*, 5> kNames{"?", "setup", "step", "prologue", "epilogue"};
    return kNames.at(static_cast<std::size_t>(kind));
}
const char* name_of(ParameterKind kind) {
    constexpr std::array<const char*, 3> kNames{"?", "runtime_argument", "buffer_address"};
    return kNames.at(static_cast<std::size_t>(kind));
}
const char* name_of(ScriptCommandKind kind) {
    constexpr std::array<const char*, 8> kNames{
        "?", "write_buffer", "load_trace", "write_input", "replay_trace", "read_output", "record_event", "wait_event"};
    return kNames.at(static_cast<std::size_t>(kind));
}

std::string json_text(const nlohmann::json& json) {
    constexpr int kIndent = 2;
    return json.dump(kIndent, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string type_and_shape(const TensorView& tensor) {
    return fmt::format("{}[{}]", name_of(tensor.type),
                       fmt::join(tensor.shape.begin(), tensor.shape.begin() + tensor.rank, ","));
}

std::string to_hex(ByteSpan bytes) {
    std::string text;
    for (const std::uint8_t byte : bytes) {
        text += fmt::format("{:02x}", byte);
    }
    return text;
}

void show_progress(const char* what, std::uint32_t done, std::uint32_t all) {
    static const bool kIsTerminal = isatty(STDERR_FILENO) == 1;
    if (kIsTerminal) {
        fmt::print(stderr, "\r{} {}/{}{}", what, done, all, (done == all) ? "\n" : "");
    }
}

}  // namespace pianola::cli
