#include "capture_host/host/capture/checks.h"

#include <fmt/format.h>

#include <algorithm>

namespace pianola::host {
namespace {

// Checks that every tensor is moved once, or as often as the script allows.
void check_tensors(const std::vector<ScriptItem>& items, ScriptCommandKind kind,
                   const std::vector<DeclaredTensor>& tensors, const char* what, const char* script) {
    for (std::uint32_t i = 0U; i < tensors.size(); ++i) {
        const auto times = std::count_if(items.begin(), items.end(), [kind, i](const ScriptItem& item) {
            return (item.kind == kind) && (item.object == i);
        });
        if (times != 1) {
            throw HostError{
                HostRule::kCaptureTensor,
                fmt::format("{} '{}' is {} {} times in {}; once is right{}", what, tensors[i].declaration.name,
                            (kind == ScriptCommandKind::kWriteInput) ? "written" : "read", times, script,
                            (times == 0) ? ": move it in every step, or leave its declaration out"
                                         : ": use a buffer for each, mark where steps begin, or let the program's "
                                           "loop take more turns, so that it is found")};
        }
    }
}

bool has(const capture::ManifestScript* script, ScriptCommandKind kind) {
    return (script != nullptr) && std::any_of(script->commands.begin(), script->commands.end(),
                                              [kind](const ScriptItem& item) { return item.kind == kind; });
}

}  // namespace

void check_steps_alike(const std::vector<const Section*>& steps) {
    const std::vector<Call>& first = steps.front()->calls;
    for (std::size_t s = 1U; s < steps.size(); ++s) {
        const std::vector<Call>& other = steps[s]->calls;
        for (std::size_t i = 0U; i < std::max(first.size(), other.size()); ++i) {
            const std::string in_first = (i < first.size()) ? first[i].text() : "nothing";
            const std::string in_other = (i < other.size()) ? other[i].text() : "nothing";
            if ((i >= first.size()) || (i >= other.size()) || !first[i].is_like(other[i])) {
                throw HostError{
                    HostRule::kCaptureStep,
                    fmt::format(
                        "step {} differs from step 1 at its call {}: {} where step 1 has {}{}; put what is different "
                        "into the prologue or the epilogue",
                        s + 1U, i + 1U, in_other, in_first,
                        (in_first == in_other) ? ", with other commands or addresses" : "")};
            }
        }
    }
}

void check_scripts(const Scripts& scripts, const Declarations& declarations) {
    const std::vector<ScriptItem>& step = scripts.find(ScriptKind::kStep)->commands;
    check_tensors(step, ScriptCommandKind::kWriteInput, declarations.inputs, "input", "a step");
    check_tensors(step, ScriptCommandKind::kReadOutput, declarations.outputs, "output", "a step");
}

void check_content(const std::vector<DeviceScripts>& devices) {
    const auto any = [&devices](ScriptKind kind, ScriptCommandKind command) {
        return std::any_of(devices.begin(), devices.end(),
                           [&](const DeviceScripts& each) { return has(each.scripts->find(kind), command); });
    };
    if (std::all_of(devices.begin(), devices.end(), [](const DeviceScripts& each) {
            return each.scripts->find(ScriptKind::kStep)->commands.empty();
        })) {
        throw HostError{
            HostRule::kCaptureContent,
            "nothing was captured in a step: the binary would do nothing; call the program's work between the "
            "capture's begin, or begin_step(), and its end"};
    }
    const bool first_inputs = any(ScriptKind::kPrologue, ScriptCommandKind::kWriteInput);
    const bool last_outputs = any(ScriptKind::kEpilogue, ScriptCommandKind::kReadOutput);
    if (first_inputs != last_outputs) {
        throw HostError{HostRule::kCaptureContent,
                        first_inputs
                            ? "the prologue writes inputs, so the epilogue must read the last outputs: mark it with "
                              "begin_epilogue()"
                            : "the epilogue reads outputs, so the prologue must write the first inputs: mark it with "
                              "begin_prologue(), or leave the read behind the last step out"};
    }
    for (const DeviceScripts& each : devices) {
        const auto items = [&each](ScriptKind kind) {
            const capture::ManifestScript* const script = each.scripts->find(kind);
            return (script == nullptr) ? std::vector<ScriptItem>{} : script->commands;
        };
        if (first_inputs) {  // then both are there
            check_tensors(items(ScriptKind::kPrologue), ScriptCommandKind::kWriteInput, each.declarations->inputs,
                          "input", "the prologue");
            check_tensors(items(ScriptKind::kEpilogue), ScriptCommandKind::kReadOutput, each.declarations->outputs,
                          "output", "the epilogue");
        }
    }
}

}  // namespace pianola::host
