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

namespace {

using capture::ManifestCommand;
using capture::ManifestRegion;

constexpr std::uint8_t kFillValue = 0x5AU;  // of added outputs

std::uint64_t end_of(const ManifestRegion& region) {
    return std::uint64_t{region.base} + region.size_bytes;
}

}  // namespace

Draft::Gap Draft::find_gap(std::uint32_t size_bytes) const {
    struct Memory {
        MemoryKind kind;
        std::uint64_t base;
        std::uint64_t end;
    };
    const DeviceDescription& of = device();
    const std::array<Memory, 2> memories{
        {{MemoryKind::kDram, of.dram_base, (std::uint64_t{of.dram_base} + of.dram_bytes) - of.trace_region_bytes},
         {MemoryKind::kL1, of.l1_base, std::uint64_t{of.l1_base} + of.l1_bytes}}};
    std::vector<ManifestRegion> regions = manifest_.regions;
    std::sort(regions.begin(), regions.end(),
              [](const ManifestRegion& left, const ManifestRegion& right) { return left.base < right.base; });
    for (const Memory& memory : memories) {
        std::uint64_t at = memory.base;
        for (const ManifestRegion& region : regions) {
            const bool meets = (region.base < (at + size_bytes)) && (end_of(region) > at);
            at = meets ? align_up(end_of(region)) : at;
        }
        if ((at + size_bytes) <= memory.end) {
            return {memory.kind, static_cast<std::uint32_t>(at)};
        }
    }
    throw NotApplicable{fmt::format("the device has no {} bytes that no region has", size_bytes)};
}

std::uint32_t Draft::add_region(const std::string& name, RegionKind kind, std::uint32_t size_bytes) {
    if (manifest_.regions.size() >= kMaxRegions) {
        throw NotApplicable{fmt::format("the file has all {} regions", kMaxRegions)};
    }
    const Gap gap = find_gap(static_cast<std::uint32_t>(align_up(size_bytes)));
    manifest_.regions.push_back({name, kind, gap.memory, gap.base, size_bytes});
    return static_cast<std::uint32_t>(manifest_.regions.size() - 1U);
}

std::uint32_t Draft::add_buffer(const std::string& name, std::uint32_t region, std::uint32_t offset_bytes,
                                std::uint32_t size_bytes) {
    manifest_.buffers.push_back({name, region, offset_bytes, size_bytes});
    return static_cast<std::uint32_t>(manifest_.buffers.size() - 1U);
}

std::uint32_t Draft::add_scratch(std::uint32_t size_bytes) {
    return manifest_.regions[add_region("scratch", RegionKind::kActivation, size_bytes)].base;
}

// A vector is all inputs, then all outputs. The new tensor is the last of its list.
void Draft::extend_self_tests(std::uint32_t size_bytes, std::uint8_t value, bool is_input) {
    const std::size_t vectors_there = manifest_.self_test_origins.size();
    if (vectors_there == 0U) {
        return;
    }
    const std::size_t old_bytes = segments_.self_tests.size() / vectors_there;
    std::size_t place = old_bytes;
    if (is_input) {
        place = 0U;
        for (const capture::ManifestTensor& tensor : manifest_.inputs) {
            for (std::uint32_t i = 0U; i < tensor.buffer_count; ++i) {
                place += manifest_.buffers.at(tensor.buffer + i).size_bytes;
            }
        }
        place -= size_bytes;  // the new one is in the list already
    }
    Bytes vectors;
    for (std::size_t i = 0U; i < vectors_there; ++i) {
        const auto first = segments_.self_tests.begin() + static_cast<std::ptrdiff_t>(i * old_bytes);
        vectors.insert(vectors.end(), first, first + static_cast<std::ptrdiff_t>(place));
        vectors.insert(vectors.end(), size_bytes, value);
        vectors.insert(vectors.end(), first + static_cast<std::ptrdiff_t>(place),
                       first + static_cast<std::ptrdiff_t>(old_bytes));
    }
    segments_.self_tests = vectors;
}

std::uint32_t Draft::add_tensor(RegionKind kind, std::uint32_t buffers, std::uint32_t buffer_bytes) {
    const bool is_input = kind == RegionKind::kInput;
    const std::string name = is_input ? "added input" : "added output";
    std::vector<capture::ManifestTensor>& list = is_input ? manifest_.inputs : manifest_.outputs;
    const std::uint32_t most = is_input ? kMaxInputs : kMaxOutputs;
    if (list.size() >= most) {
        throw NotApplicable{fmt::format("the file has all {} {}puts", most, is_input ? "in" : "out")};
    }
    const std::uint32_t size_bytes = buffers * buffer_bytes;
    const std::uint32_t region = add_region(name, kind, size_bytes);
    const auto first = static_cast<std::uint32_t>(manifest_.buffers.size());
    for (std::uint32_t i = 0U; i < buffers; ++i) {
        static_cast<void>(add_buffer(name, region, i * buffer_bytes, buffer_bytes));
    }
    list.push_back({name, first, ElementType::kInt8, {size_bytes}, 1.0F, 0, buffers});
    extend_self_tests(size_bytes, is_input ? std::uint8_t{0U} : kFillValue, is_input);
    return static_cast<std::uint32_t>(list.size() - 1U);
}

std::uint32_t Draft::add_input(std::uint32_t buffers, std::uint32_t buffer_bytes) {
    const std::uint32_t index = add_tensor(RegionKind::kInput, buffers, buffer_bytes);
    const ManifestCommand write{ScriptCommandKind::kWriteInput, 0U, index, 0U};
    if (has_command(ScriptKind::kPrologue, ScriptCommandKind::kWriteInput)) {
        auto& prologue = commands(ScriptKind::kPrologue);
        prologue.insert(prologue.begin(), write);
    }
    auto& step = commands(ScriptKind::kStep);
    step.insert(step.begin(), write);
    return index;
}

std::uint32_t Draft::add_output(std::uint32_t buffers, std::uint32_t buffer_bytes) {
    const std::uint32_t index = add_tensor(RegionKind::kOutput, buffers, buffer_bytes);
    static_cast<void>(append_commands(fill(manifest_.regions.back().base, buffers * buffer_bytes, kFillValue)));
    const std::uint32_t replay = main_replay();
    auto& step = commands(ScriptKind::kStep);
    const ManifestCommand read{ScriptCommandKind::kReadOutput, step.at(replay).queue, index, 0U};
    step.insert(step.begin() + static_cast<std::ptrdiff_t>(replay) + 1, read);
    if (has_command(ScriptKind::kEpilogue, ScriptCommandKind::kReadOutput)) {
        commands(ScriptKind::kEpilogue).push_back(read);
    }
    return index;
}

std::uint32_t Draft::add_weights() {
    const std::uint32_t region = add_region("added weights", RegionKind::kWeights, kFileAlignmentBytes);
    const std::uint32_t buffer = add_buffer("added weights", region, 0U, kFileAlignmentBytes);
    const auto offset = static_cast<std::uint32_t>(segments_.weights.size());
    segments_.weights.resize(offset + kFileAlignmentBytes);
    auto& setup = commands(ScriptKind::kSetup);
    setup.push_back({ScriptCommandKind::kWriteBuffer, 0U, buffer, offset});
    return static_cast<std::uint32_t>(setup.size() - 1U);
}

void Draft::drop_self_tests() {
    if (!manifest_.self_test_origins.empty()) {
        manifest_.self_test_origins.clear();
        segments_.self_tests.clear();
        confirm("no self-tests");
    }
}

DeviceRange Draft::require_mesh() const {
    const capture::ManifestTarget& target = manifest_.target;
    if ((target.mesh_rows * target.mesh_columns) < 2U) {
        throw NotApplicable{"the file is for one device"};
    }
    return {0U, 0U, static_cast<std::uint8_t>(target.mesh_rows), static_cast<std::uint8_t>(target.mesh_columns)};
}

void Draft::give_to(ScriptCommandKind kind, std::uint32_t object, const DeviceRange& devices) {
    for (capture::ManifestScript& script : manifest_.scripts) {
        for (ManifestCommand& command : script.commands) {
            if ((command.kind == kind) && (command.object == object)) {
                command.devices = devices;
            }
        }
    }
}

capture::ManifestTensor& Draft::first_tensor() {
    if (manifest_.inputs.empty() && manifest_.outputs.empty()) {
        throw NotApplicable{"the file has neither inputs nor outputs"};
    }
    return manifest_.inputs.empty() ? manifest_.outputs.front() : manifest_.inputs.front();
}

namespace {

using capture::ManifestCommand;
using capture::ManifestTrace;

}  // namespace

std::uint32_t Draft::main_trace() {
    if (!main_trace_) {
        const auto& step = commands(ScriptKind::kStep);
        for (const ManifestCommand& command : step) {
            if ((command.kind == ScriptCommandKind::kReplayTrace) &&
                (!main_trace_ ||
                 (manifest_.traces.at(command.object).cost_cycles > manifest_.traces.at(*main_trace_).cost_cycles))) {
                main_trace_ = command.object;
            }
        }
    }
    if (!main_trace_) {
        throw NotApplicable{"no step replays a trace"};
    }
    return *main_trace_;
}

std::uint32_t Draft::main_replay() {
    const std::uint32_t trace = main_trace();
    const auto& step = commands(ScriptKind::kStep);
    const auto found = std::find_if(step.begin(), step.end(), [trace](const ManifestCommand& command) {
        return (command.kind == ScriptCommandKind::kReplayTrace) && (command.object == trace);
    });
    return static_cast<std::uint32_t>(found - step.begin());
}

std::uint32_t Draft::main_queue() {
    return commands(ScriptKind::kStep).at(main_replay()).queue;
}

Words Draft::trace_words(std::uint32_t trace) const {
    const ManifestTrace& entry = manifest_.traces.at(trace);
    const auto first = segments_.traces.begin() + static_cast<std::ptrdiff_t>(entry.offset_bytes);
    return words_of(Bytes{first, first + static_cast<std::ptrdiff_t>(entry.word_count * sizeof(std::uint32_t))});
}

void Draft::set_trace_words(std::uint32_t trace, const Words& words) {
    std::vector<Words> all;
    for (std::uint32_t i = 0U; i < manifest_.traces.size(); ++i) {
        all.push_back((i == trace) ? words : trace_words(i));
    }
    capture::name_kernels(command_set(), measure_trace(command_set(), words).kernels, manifest_.target);
    segments_.traces.clear();
    for (std::size_t i = 0U; i < all.size(); ++i) {
        segments_.traces.resize(align_up(segments_.traces.size()));
        manifest_.traces[i].offset_bytes = static_cast<std::uint32_t>(segments_.traces.size());
        manifest_.traces[i].word_count = static_cast<std::uint32_t>(all[i].size());
        const Bytes bytes = bytes_of(all[i]);
        segments_.traces.insert(segments_.traces.end(), bytes.begin(), bytes.end());
    }
}

std::uint32_t Draft::append_raw(const Words& words, std::uint32_t command_count, std::uint64_t cycles) {
    const std::uint32_t trace = main_trace();
    Words all = trace_words(trace);
    const std::size_t place = all.size() - end().size();
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(place), words.begin(), words.end());
    set_trace_words(trace, all);
    ManifestTrace& entry = manifest_.traces[trace];
    subject_commands_ = (subject_commands_ == 0U) ? entry.command_count : subject_commands_;
    entry.command_count += command_count;
    entry.cost_cycles += cycles;
    entry.programs.push_back({"added", command_count});
    return static_cast<std::uint32_t>(place);
}

std::uint32_t Draft::append_commands(const Words& words) {
    const std::uint32_t place = append_raw(words, measure_trace(command_set(), words).commands, 0U);
    measure_main();
    return place;
}

void Draft::set_word(std::uint32_t word, std::uint32_t value) {
    const std::uint32_t trace = main_trace();
    Words words = trace_words(trace);
    words.at(word) = value;
    set_trace_words(trace, words);
}

void Draft::measure_main() {
    measure(main_trace());
}

void Draft::measure(std::uint32_t trace) {
    const TraceMeasure measure = measure_trace(command_set(), trace_words(trace));
    ManifestTrace& entry = manifest_.traces[trace];
    const std::uint32_t more = measure.commands - entry.command_count;  // modulo 2^32: fewer as well
    entry.command_count = measure.commands;
    entry.cost_cycles = measure.cycles;
    entry.programs.back().command_count += more;
}

std::uint32_t Draft::add_trace(const std::string& name, const Words& words) {
    if (manifest_.traces.size() >= kMaxTraces) {
        throw NotApplicable{fmt::format("the file has all {} traces", kMaxTraces)};
    }
    const std::uint32_t replay = main_replay();
    const auto index = static_cast<std::uint32_t>(manifest_.traces.size());
    const TraceMeasure measure = measure_trace(command_set(), words);
    ManifestTrace entry{name, 0U, 0U, measure.commands, measure.cycles, {}};
    if (measure.commands > 1U) {
        entry.programs.push_back({name, measure.commands - 1U});
    }
    manifest_.traces.push_back(entry);
    set_trace_words(index, words);
    commands(ScriptKind::kSetup).push_back({ScriptCommandKind::kLoadTrace, 0U, index, 0U});
    auto& step = commands(ScriptKind::kStep);
    const ManifestCommand command{ScriptCommandKind::kReplayTrace, step.at(replay).queue, index, 0U};
    step.insert(step.begin() + static_cast<std::ptrdiff_t>(replay) + 1, command);
    return replay + 1U;
}

Words Draft::sample(Sample which, const SampleOperands& operands) const {
    Words words = subject_.target->sample(which, operands);
    if (words.empty()) {
        throw NotApplicable{"the device's target gives no sample of such a command"};
    }
    return words;
}

}  // namespace pianola::mutate
