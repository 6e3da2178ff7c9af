// A draft's changes of its traces.
#include <fmt/format.h>

#include <algorithm>

#include "capture_host/mutate/draft.h"
#include "capture_host/mutate/file_bytes.h"

namespace pianola::mutate {
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
