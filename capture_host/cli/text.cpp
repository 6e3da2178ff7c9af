#include <fmt/format.h>

#include <optional>

#include "capture_host/binary/refusal_text.h"
#include "capture_host/cli/cli.h"

namespace pianola::cli {
namespace {

const char* name_of(FaultStage stage) {
    constexpr std::array<const char*, 12> kNames{
        "none", "reset",     "programming",         "set-up", "read-back",           "submit",
        "step", "self-test", "setting a parameter", "scrub",  "the session's state", "the second validation"};
    return name_in(kNames, stage);
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

// A command of a script, which a rule gives as a number. Such rules come after the proof that the manifest is
// well-formed, so that the indices are valid.
struct NamedCommand {
    std::string text;
    std::uint32_t script{0U};
    std::uint32_t index{0U};
    ScriptCommandView view;
    ScriptKind kind{ScriptKind::kUnspecified};
};
NamedCommand command_by_name(const Image& image, std::uint64_t name) {
    constexpr std::uint32_t kScriptShift = 16U;
    constexpr std::uint32_t kIndexMask = 0xFFFFU;
    const auto script = static_cast<std::uint32_t>(name >> kScriptShift);
    const auto index = static_cast<std::uint32_t>(name & kIndexMask);
    const ScriptCommandView view = image.script_command(script, index);
    const ScriptKind kind = image.script(script).kind;
    return {fmt::format("{} {} on queue {} (scripts[{}].commands[{}], {})", pianola::name_of(view.kind), view.object,
                        view.queue, script, index, pianola::name_of(kind)),
            script, index, view, kind};
}

// The two commands of such a rule, in the order in which they come.
struct NamedPair {
    NamedCommand earlier;
    NamedCommand later;
    bool is_next_step{false};  // the later one
};
NamedPair commands_of(const Verdict& verdict, const Image& image) {
    return {command_by_name(image, verdict.limit), command_by_name(image, verdict.actual),
            verdict.actual <= verdict.limit};
}

nlohmann::json command_to_json(const NamedCommand& command, bool is_next_step) {
    return {{"script", pianola::name_of(command.kind)},
            {"field", fmt::format("scripts[{}].commands[{}]", command.script, command.index)},
            {"command", pianola::name_of(command.view.kind)},
            {"object", command.view.object},
            {"queue", command.view.queue},
            {"next_step", is_next_step}};
}

// Names for rules whose two numbers are not meaningful to a reader.
struct FoundAndExpected {
    std::string found;
    std::string expected;
};
FoundAndExpected names_of(const Verdict& verdict, const Image& image, const DeviceDescription& device) {
    if (verdict.rule == Rule::kTgtFamily) {
        const NameView family = image.target().device_family;
        return {{family.begin(), family.end()}, device.family};
    }
    if (verdict.rule == Rule::kTgtKernelLibrary) {
        return {to_hex(image.target().kernel_library), to_hex(ByteSpan{device.kernel_library})};
    }
    return {};
}

// The kernel that a refusal is about; nothing for other rules.
struct NamedKernel {
    std::uint32_t id;
    const char* name;  // nullptr for one that the target does not have
};
std::optional<NamedKernel> kernel_of(const Verdict& verdict, const Image& image, const Target& target) {
    std::uint32_t id = 0U;
    if (verdict.rule == Rule::kTgtKernel) {
        const Span<const FieldPath::Step> steps = verdict.path.steps();
        if ((steps.size() < 2U) || (steps[1].index >= image.target().kernel_count)) {
            return std::nullopt;
        }
        id = image.kernel(steps[1].index).id;
    } else if (verdict.rule == Rule::kTrcKernelNamed) {
        id = static_cast<std::uint32_t>(verdict.actual);
    } else {
        return std::nullopt;
    }
    return NamedKernel{id, target.kernel_name(id)};
}

}  // namespace

std::string describe_verdict(const Verdict& verdict, const Image& image, const DeviceDescription& device,
                             const Target& target, const std::string& remedy) {
    std::string text = describe_verdict(verdict);
    if (capture::names_commands(verdict.rule)) {
        const NamedPair pair = commands_of(verdict, image);
        text += fmt::format(
            "\n  between {}\n      and {}{}\n  missing an event that queue {} records behind the first and queue {} "
            "waits for in front of the second",
            pair.earlier.text, pair.later.text, pair.is_next_step ? " of the next step" : "", pair.earlier.view.queue,
            pair.later.view.queue);
    }
    const FoundAndExpected names = names_of(verdict, image, device);
    if (!names.found.empty()) {
        text += fmt::format("\n  found   {}, expected {}", names.found, names.expected);
    }
    const std::optional<NamedKernel> kernel = kernel_of(verdict, image, target);
    if (kernel.has_value()) {
        text += fmt::format("\n  kernel  {} {}", kernel->id,
                            (kernel->name != nullptr) ? kernel->name : "(without a name in this build)");
    }
    if (!remedy.empty()) {
        text += "\n  remedy  " + remedy;
    }
    return text;
}

nlohmann::json verdict_to_json(const Verdict& verdict, const Image& image, const DeviceDescription& device,
                               const Target& target, const std::string& remedy) {
    nlohmann::json json = verdict_to_json(verdict);
    if (capture::names_commands(verdict.rule)) {
        const NamedPair pair = commands_of(verdict, image);
        json["between"] = {command_to_json(pair.earlier, false), command_to_json(pair.later, pair.is_next_step)};
        json["missing"] = {{"recorded_on_queue", pair.earlier.view.queue},
                           {"waited_for_on_queue", pair.later.view.queue}};
    }
    const FoundAndExpected names = names_of(verdict, image, device);
    if (!names.found.empty()) {
        json["found"] = names.found;
        json["expected"] = names.expected;
    }
    const std::optional<NamedKernel> kernel = kernel_of(verdict, image, target);
    if (kernel.has_value()) {
        json["kernel"] = {{"id", kernel->id}};
        if (kernel->name != nullptr) {
            json["kernel"]["name"] = kernel->name;
        }
    }
    if (!remedy.empty()) {
        json["remedy"] = remedy;
    }
    return json;
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
        case ViewsAnswer::kSeveralDevices:
            return "there are several devices";
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
    const std::string numbers = capture::describe_numbers(verdict);
    if (!numbers.empty()) {
        constexpr const char* kFound = "found ";
        text += "\n  found   " + numbers.substr(std::string_view{kFound}.size());
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

std::string describe_fault(const FaultRecord& fault) {
    return fmt::format(
        "{} in {}: device ({}, {}), queue {}, command {}, address 0x{:08X}, device says: {}; {} us after the start, "
        "deadline {} us",
        name_of(fault.status), name_of(fault.stage), fault.row, fault.column, fault.queue, fault.command, fault.address,
        name_of(fault.device_fault), fault.time_us - fault.started_us, fault.deadline_us);
}

const char* name_of(DeviceFault fault) {
    constexpr std::array<const char*, 8> kNames{"none",
                                                "unknown command",
                                                "bad argument",
                                                "unknown kernel",
                                                "access outside the regions",
                                                "transfer outside the bound host memory",
                                                "trace without end",
                                                "no answer from the device"};
    return name_in(kNames, fault);
}

std::string json_text(const nlohmann::json& json) {
    constexpr int kIndent = 2;
    nlohmann::json printed = json;
    if (printed.is_object()) {
        printed["schema_version"] = kJsonSchemaVersion;
    }
    return printed.dump(kIndent, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string type_and_shape(const TensorView& tensor) {
    return fmt::format("{}[{}]", name_of(tensor.type),
                       fmt::join(tensor.shape.begin(), tensor.shape.begin() + tensor.rank, ","));
}

}  // namespace pianola::cli
