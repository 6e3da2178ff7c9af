#include "capture_host/mutate/draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "capture_host/base/text.h"
#include "capture_host/capture/assembly.h"
#include "capture_host/mutate/file_bytes.h"

namespace pianola::mutate {
namespace {

using capture::ManifestCommand;
using capture::ManifestScript;

std::uint32_t deadline_for(std::uint64_t cycles, std::uint32_t clock_khz, std::uint32_t at_least) {
    constexpr std::uint64_t kPerMilli = 1000U;
    const std::uint64_t us = ((cycles * kPerMilli) + (clock_khz - 1U)) / clock_khz;
    return static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(us, at_least, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

Draft::Draft(const Subject& subject, Checker& checker)
    : subject_{subject}, checker_{checker}, manifest_{subject.manifest}, segments_{subject.segments} {}

void Draft::expect_path(const std::string& path) {
    const std::size_t after_list = std::min(path.find_first_of("[."), path.size());
    const std::string list = path.substr(0U, after_list);
    const bool has_index = path.compare(after_list, 1U, "[") == 0;
    const std::size_t after_index = has_index ? (path.find(']') + 1U) : after_list;
    const std::string index = has_index ? path.substr(after_list + 1U, after_index - after_list - 2U) : "";
    const std::string rest = path.substr(after_index);
    const auto at = [&](std::size_t size) { return (index == "last") ? std::to_string(size - 1U) : index; };
    if (list == "tensor") {
        path_ = (manifest_.inputs.empty() ? "outputs[0]" : "inputs[0]") + rest;
    } else if (list == "added") {
        const std::size_t command = (subject_commands_ - 1U) + std::stoul(index);
        path_ = fmt::format("traces[{}].commands[{}]{}", main_trace(), command, rest);
    } else if ((list == "step") || (list == "set-up")) {
        const ScriptKind kind = (list == "step") ? ScriptKind::kStep : ScriptKind::kSetup;
        const std::string command = has_index ? fmt::format(".commands[{}]", at(commands(kind).size())) : "";
        path_ = fmt::format("scripts[{}]{}{}", script_index(kind), command, rest);
    } else if (index == "main") {
        path_ = fmt::format("{}[{}]{}", list, main_trace(), rest);
    } else if (index == "last") {
        const std::size_t size = (list == "regions")   ? manifest_.regions.size()
                                 : (list == "buffers") ? manifest_.buffers.size()
                                                       : manifest_.parameters.size();
        path_ = fmt::format("{}[{}]{}", list, at(size), rest);
    } else {
        path_ = path;
    }
}

void Draft::expect_command(ScriptKind script, std::size_t command, const char* field) {
    path_ =
        fmt::format("scripts[{}].commands[{}]{}{}", script_index(script), command, (*field == '\0') ? "" : ".", field);
}

void Draft::settle() {
    for (const ManifestScript& script : manifest_.scripts) {
        const std::uint64_t cycles = capture::script_cycles(manifest_, script, command_set());
        std::uint32_t& deadline =
            (script.kind == ScriptKind::kSetup) ? manifest_.setup_deadline_us : manifest_.step_deadline_us;
        deadline = deadline_for(cycles, device().clock_khz, deadline);
        if (script.kind == ScriptKind::kStep) {
            manifest_.step_cycles = cycles;
        }
    }
}

void Draft::confirm(const std::string& added) {
    settle();
    const Verdict& verdict = checker_.check(write());
    if (!is_ok(verdict.status)) {
        throw NotApplicable{fmt::format("with {} added, the file itself would be refused: {} {}", added,
                                        rule_id(verdict.rule), files::path_text(verdict.path))};
    }
    extension_ += (extension_.empty() ? "" : "; ") + added;
}

Bytes Draft::write() const {
    Bytes file = capture::write_trace_binary(manifest_, segments_);
    const std::uint32_t security_version = load32(subject_.file, header::kSecurityVersion);
    if (security_version != 0U) {  // what the writer writes
        store32(file, header::kSecurityVersion, security_version);
        capture::fix_digest(file);
    }
    for (const BytesEdit& edit : edits_) {
        edit(file);
    }
    if (fix_digest_ && !edits_.empty() && (file.size() >= header::kBytes)) {
        capture::fix_digest(file);
    }
    return file;
}

bool Draft::has_script(ScriptKind kind) const {
    return script_index(kind) < manifest_.scripts.size();
}

std::uint32_t Draft::script_index(ScriptKind kind) const {
    const auto found = std::find_if(manifest_.scripts.begin(), manifest_.scripts.end(),
                                    [kind](const ManifestScript& script) { return script.kind == kind; });
    return static_cast<std::uint32_t>(found - manifest_.scripts.begin());
}

bool Draft::has_command(ScriptKind script, ScriptCommandKind kind) {
    return has_script(script) && (find_command(script, kind) < commands(script).size());
}

std::vector<ManifestCommand>& Draft::commands(ScriptKind kind) {
    return manifest_.scripts.at(script_index(kind)).commands;
}

std::vector<ManifestCommand>& Draft::commands_or_add(ScriptKind kind) {
    if (!has_script(kind)) {
        manifest_.scripts.push_back({kind, {}});
    }
    return commands(kind);
}

std::uint32_t Draft::find_command(ScriptKind script, ScriptCommandKind kind) {
    const auto& list = commands(script);
    const auto found =
        std::find_if(list.begin(), list.end(), [kind](const ManifestCommand& command) { return command.kind == kind; });
    return static_cast<std::uint32_t>(found - list.begin());
}

std::uint32_t Draft::ring_words(ScriptKind script, std::uint32_t queue) {
    std::uint32_t words = 0U;
    for (const ManifestCommand& command : commands(script)) {
        if (command.queue == queue) {
            const auto transfers = static_cast<std::uint32_t>(capture::transfers_of(manifest_, command).size());
            words += transfers * queue_words(capture::queue_kind(command.kind));
        }
    }
    return (words == 0U) ? 0U : (words + queue_words(QueueCommandKind::kNotify));
}

std::uint32_t Draft::queue_words(QueueCommandKind kind) const {
    QueueCommand command;
    command.kind = kind;
    return command_set().queue_words(command);
}

std::uint32_t Draft::planned_commands(ScriptKind script) {
    std::uint32_t count = 0U;
    if (has_script(script)) {
        for (const ManifestCommand& command : commands(script)) {
            count += static_cast<std::uint32_t>(capture::transfers_of(manifest_, command).size());
        }
    }
    return count;
}

std::uint32_t Draft::free_event() const {
    std::array<bool, kMaxEvents> used{};
    for (const ManifestScript& script : manifest_.scripts) {
        for (const ManifestCommand& command : script.commands) {
            if ((command.kind == ScriptCommandKind::kRecordEvent) || (command.kind == ScriptCommandKind::kWaitEvent)) {
                used.at(command.object) = true;
            }
        }
    }
    const auto* const found = std::find(used.begin(), used.end(), false);
    if (found == used.end()) {
        throw NotApplicable{"the file uses all events"};
    }
    return static_cast<std::uint32_t>(found - used.begin());
}

void Draft::require_queues(std::uint32_t count) const {
    if (device().queue_count < count) {
        throw NotApplicable{fmt::format("the device has {} queue", device().queue_count)};
    }
}

void Draft::require_trace_region(const char* what) const {
    if (segments_.traces.size() > device().trace_region_bytes) {
        throw NotApplicable{fmt::format("the trace region has no room for {}", what)};
    }
}

void Draft::make_sequential() {
    std::vector<ManifestCommand> step;
    for (std::uint32_t i = 0U; i < manifest_.inputs.size(); ++i) {
        step.push_back({ScriptCommandKind::kWriteInput, 0U, i, 0U});
    }
    for (std::uint32_t i = 0U; i < manifest_.traces.size(); ++i) {
        step.push_back({ScriptCommandKind::kReplayTrace, 0U, i, 0U});
    }
    for (std::uint32_t i = 0U; i < manifest_.outputs.size(); ++i) {
        step.push_back({ScriptCommandKind::kReadOutput, 0U, i, 0U});
    }
    manifest_.scripts = {{ScriptKind::kSetup, commands(ScriptKind::kSetup)}, {ScriptKind::kStep, step}};
    manifest_.steps_in_flight = 1U;
    confirm("scripts of one queue, without prologue and epilogue,");
}

}  // namespace pianola::mutate
