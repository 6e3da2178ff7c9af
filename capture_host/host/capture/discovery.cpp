#include "capture_host/host/capture/discovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "capture_host/host/capture/devices.h"
#include "capture_host/host/capture/loops.h"

namespace pianola::host {
namespace {

// The calls of `like`, with the data that `calls` moved.
Calls moved_by(const Calls& like, const Calls& calls) {
    Calls made = like;
    for (std::size_t i = 0U; i < made.size(); ++i) {
        made[i].data = calls[i].data;
        made[i].handle = calls[i].handle;
        made[i].number = calls[i].number;
        made[i].replicas = calls[i].replicas;
        made[i].mesh_call = calls[i].mesh_call;
        made[i].seen = calls[i].seen;
    }
    return made;
}

std::set<std::uint64_t> written_by(const Calls& calls) {
    std::set<std::uint64_t> buffers;
    for (const Call& call : calls) {
        if (call.kind == CallKind::kWrite) {
            buffers.insert(call.object);
        }
    }
    return buffers;
}

// Replaces every step by the first one if they compute the same.
void unify_steps(std::vector<Section>& sections, const CommandSet& command_set) {
    Section* first = nullptr;
    std::vector<std::uint64_t> wanted;
    for (Section& section : sections) {
        if (section.kind != ScriptKind::kStep) {
            continue;
        }
        if (first == nullptr) {
            first = &section;
            wanted = flow_of(section.calls, command_set);
        } else if (flow_of(section.calls, command_set) == wanted) {
            section.calls = moved_by(first->calls, section.calls);
        } else {
            // Refused with the first call that differs.
        }
    }
}

bool is_written_again(const Calls& calls, std::size_t place) {
    return std::any_of(calls.begin() + static_cast<std::ptrdiff_t>(place) + 1, calls.end(), [&](const Call& later) {
        return (later.kind == CallKind::kWrite) && (later.object == calls[place].object);
    });
}

// Drops writes of a buffer that nothing reads before the next write of it; the writes of one call of a mesh
// are kept or dropped together.
void drop_overwritten(std::vector<Section>& sections, ScriptKind kind, const std::set<std::uint64_t>& read) {
    std::vector<Calls*> alike;
    for (Section& section : sections) {
        if (section.kind == kind) {
            alike.push_back(&section.calls);
        }
    }
    const std::size_t count = alike.empty() ? 0U : alike.front()->size();
    const auto is_idle = [&](std::size_t place) {
        return std::all_of(alike.begin(), alike.end(), [&](const Calls* calls) {
            return (place < calls->size()) && ((*calls)[place].kind == CallKind::kWrite) &&
                   (read.count((*calls)[place].number) == 0U) && is_written_again(*calls, place);
        });
    };
    std::set<std::uint64_t> needed;  // calls of the mesh
    for (std::size_t i = 0U; i < count; ++i) {
        const Call& call = (*alike.front())[i];
        if ((call.kind == CallKind::kWrite) && (call.mesh_call != 0U) && !is_idle(i)) {
            needed.insert(call.mesh_call);
        }
    }
    for (std::size_t i = count; i > 0U; --i) {
        if ((needed.count((*alike.front())[i - 1U].mesh_call) == 0U) && is_idle(i - 1U)) {
            for (Calls* const calls : alike) {
                calls->erase(calls->begin() + static_cast<std::ptrdiff_t>(i - 1U));
            }
        }
    }
}

bool is_known(const std::vector<DeclaredTensor>& tensors, std::uint64_t id) {
    return std::any_of(tensors.begin(), tensors.end(),
                       [id](const DeclaredTensor& each) { return each.id.value == id; });
}

// Places in the order of the calls of the program's last step: the first step's calls may be mixed with set-up.
std::vector<std::size_t> places_of(const std::vector<Section>& sections, const Calls& step) {
    const auto last = std::find_if(sections.rbegin(), sections.rend(),
                                   [](const Section& section) { return section.kind == ScriptKind::kStep; });
    const Calls& calls = (last->calls.size() == step.size()) ? last->calls : step;
    std::vector<std::size_t> places(calls.size());
    std::iota(places.begin(), places.end(), std::size_t{0U});
    std::sort(places.begin(), places.end(), [&](std::size_t one, std::size_t other) {
        return std::pair{calls[one].number, one} < std::pair{calls[other].number, other};
    });
    return places;
}

// The data that every step writes and reads, in the order of the calls. A program that declares inputs, or outputs,
// must declare all of them.
void declare_missing(const std::vector<Section>& sections, Declarations& declarations, const CommandSet& command_set) {
    const bool find_inputs = declarations.inputs.empty();
    const bool find_outputs = declarations.outputs.empty();
    for (const Section& section : sections) {
        if (section.kind != ScriptKind::kStep) {
            continue;
        }
        const std::vector<std::uint32_t> pairs = pairs_of(section.calls, command_set);
        for (const std::size_t place : places_of(sections, section.calls)) {
            const Call& call = section.calls[place];
            const bool is_input = call.kind == CallKind::kWrite;
            auto& tensors = is_input ? declarations.inputs : declarations.outputs;
            const bool is_constant = is_input && (declarations.constants.count(call.object) != 0U);
            const bool is_wanted = is_input ? find_inputs : (find_outputs && (call.kind == CallKind::kRead));
            if (is_wanted && !is_constant) {
                tensors.push_back({BufferId{call.object},
                                   call.buffer,
                                   {fmt::format("{} {}", is_input ? "input" : "output", tensors.size()),
                                    call.buffer->type, call.buffer->shape},
                                   call.device,
                                   true,
                                   {call.twin, pairs[place]}});
            }
        }
        return;
    }
}

// Handles events that cross turns at both ends of the loop. An event that the step waits for before it records it was
// recorded before the capture, unless a call before the loop does it; otherwise the wait would have been refused. The
// last record has no wait if no turn follows: the epilogue waits for it, which adds no new order.
void close_events(std::vector<Section>& sections) {
    std::set<std::uint64_t> recorded;
    std::map<std::uint64_t, Call> carried;  // the step's waits
    Calls earlier;
    for (const Section& section : sections) {
        const bool is_step = section.kind == ScriptKind::kStep;
        for (const Call& call : section.calls) {
            if (call.kind == CallKind::kRecordEvent) {
                const bool is_new = recorded.insert(call.object).second;
                if (is_step && is_new && (carried.count(call.object) != 0U)) {
                    earlier.push_back(call);
                }
            } else if (is_step && (call.kind == CallKind::kWaitEvent)) {
                carried.emplace(call.object, call);
            } else {
                // Not relevant here.
            }
        }
        if (is_step) {
            break;  // the others are like it
        }
    }
    sections.front().calls.insert(sections.front().calls.end(), earlier.begin(), earlier.end());
    Section& last = sections.back();
    if (last.kind == ScriptKind::kEpilogue) {
        for (const Call& call : last.calls) {
            carried.erase(call.object);
        }
        for (const auto& [event, wait] : carried) {
            last.calls.push_back(wait);
        }
    }
}

// Call numbers of the writes whose bytes are read.
std::set<std::uint64_t> read_writes(const std::vector<Section>& sections, const CommandSet& command_set) {
    std::set<std::uint64_t> numbers;
    std::map<std::uint32_t, DataFlow> flows;
    for (const Section& section : sections) {
        for (const Call& call : section.calls) {
            for (const Origin& origin : flows.try_emplace(call.device, command_set).first->second.add_named(call)) {
                numbers.insert(DataFlow::call_of(origin.writer));
            }
        }
    }
    return numbers;
}

// The calls before the loop are set-up; or their programs and first inputs are a prologue, and the calls after the loop
// are the epilogue.
std::vector<Section> sections_of(const Calls& calls, const Loop& loop, bool with_prologue) {
    const Calls step = part(calls, loop.first, loop.period);
    const std::set<std::uint64_t> inputs = written_by(step);
    std::vector<Section> sections(1U);
    Section prologue{ScriptKind::kPrologue, {}};
    for (const Call& call : part(calls, 0U, loop.first)) {
        const bool is_setup = (call.kind == CallKind::kWrite) && (inputs.count(call.object) == 0U);
        const bool is_first = with_prologue && !is_setup && (call.kind != CallKind::kRead);
        (is_first ? prologue : sections.front()).calls.push_back(call);
    }
    if (!prologue.calls.empty()) {
        sections.push_back(std::move(prologue));
    }
    for (std::size_t i = 0U; i < loop.turns; ++i) {
        sections.push_back(
            {ScriptKind::kStep, moved_by(step, part(calls, loop.first + (i * loop.period), loop.period))});
    }
    if (loop.end() < calls.size()) {
        sections.push_back({ScriptKind::kEpilogue, part(calls, loop.end(), calls.size() - loop.end())});
    }
    return sections;
}

// The sections with all steps like the first one, without unread data, and with missing declarations. `read`:
// read_writes().
Interpretation interpretation(std::vector<Section> sections, const Declarations& declarations,
                              const std::set<std::uint64_t>& read, const CommandSet& command_set) {
    unify_steps(sections, command_set);
    for (const ScriptKind kind : {ScriptKind::kPrologue, ScriptKind::kStep, ScriptKind::kEpilogue}) {
        drop_overwritten(sections, kind, read);
    }
    close_events(sections);
    Interpretation made;
    made.sections = std::move(sections);
    made.declarations = declarations;
    made.is_derived = declarations.inputs.empty() || declarations.outputs.empty();
    declare_missing(made.sections, made.declarations, command_set);
    return made;
}

// Without a loop: one step. If inputs are declared, other writes are set-up; otherwise only constants are.
Interpretation single_step(const Calls& calls, const Declarations& declarations, const std::set<std::uint64_t>& read,
                           const CommandSet& command_set) {
    std::vector<Section> sections(1U);
    Section step{ScriptKind::kStep, {}};
    for (const Call& call : calls) {
        const bool is_setup = (call.kind == CallKind::kWrite) &&
                              (declarations.inputs.empty() ? (declarations.constants.count(call.object) != 0U)
                                                           : !is_known(declarations.inputs, call.object));
        (is_setup ? sections.front() : step).calls.push_back(call);
    }
    sections.push_back(std::move(step));
    return interpretation(std::move(sections), declarations, read, command_set);
}

// "calls 3 to 14", by their numbers in the program.
std::string span_of(const Calls& calls, std::size_t first, std::size_t end) {
    const auto begin = calls.begin() + static_cast<std::ptrdiff_t>(first);
    const auto [least, greatest] =
        std::minmax_element(begin, calls.begin() + static_cast<std::ptrdiff_t>(end),
                            [](const Call& one, const Call& other) { return one.number < other.number; });
    return fmt::format("calls {} to {}", least->number, greatest->number);
}

// Finds the possible meanings of calls without marks.
class Finder {
  public:
    Finder(const Declarations& declarations, const std::set<std::uint64_t>& read, const CommandSet& command_set)
        : declarations_{declarations}, read_{read}, command_set_{command_set} {}

    void search(const Calls& calls, bool as_written) {
        for (const Loop& candidate : loops_of(calls, command_set_)) {
            if (!as_written && !is_plain(calls, candidate)) {
                continue;
            }
            const Loop loop = unrolled(calls, candidate, command_set_);
            if (loop.turns != 0U) {
                take(calls, candidate, loop, as_written);
                continue;
            }
            note_unlike(calls, candidate);
            // The calls before the loop may look like a turn.
            const Loop later{candidate.first + candidate.period, candidate.period, candidate.turns - 1U, 0U,
                             candidate.after};
            const Loop rest = unrolled(calls, later, command_set_);
            if (rest.turns != 0U) {
                needs_all_ = true;
                take(calls, later, rest, as_written);
            }
        }
    }

    // One step, if no turns are alike; else only if no other interpretation is valid.
    std::vector<Interpretation> interpretations(const Calls& calls) {
        if (!is_loop_as_written_ || interpretations_.empty() || needs_all_) {
            if (unlike_.empty()) {
                note_stretches(calls);
            }
            Interpretation single = single_step(calls, declarations_, read_, command_set_);
            single.how_found = unlike_.empty() ? found_ : unlike_;
            if (!unlike_.empty()) {
                single.warnings.push_back(unlike_);
            }
            interpretations_.insert(is_loop_ ? interpretations_.end() : interpretations_.begin(), std::move(single));
        }
        return std::move(interpretations_);
    }

  private:
    // For calls in the order of turns: no output of a turn is before the loop, inputs keep their buffers, and data that
    // nothing reads is written for turns that never came, and not in every turn.
    static bool is_plain(const Calls& calls, const Loop& loop) {
        const auto after = calls.begin() + static_cast<std::ptrdiff_t>(loop.end());
        const auto idle =
            std::count_if(after, calls.end(), [](const Call& call) { return call.kind == CallKind::kWrite; });
        return !has(calls, 0U, loop.first, CallKind::kRead) && !has_exchanged_inputs(calls, loop) &&
               (static_cast<std::size_t>(idle) < loop.turns);
    }

    void take(const Calls& calls, const Loop& candidate, const Loop& loop, bool as_written) {
        // Turns without data from the host are layers of one inference, if a step has room for them.
        const bool is_loop = has(calls, loop.first, loop.period, CallKind::kWrite);
        is_loop_ = is_loop_ || is_loop;
        is_loop_as_written_ = is_loop_as_written_ || (is_loop && as_written);
        found_ = fmt::format("{} of the program were taken for its loop: {} turns of {}",
                             span_of(calls, loop.first, loop.end()), loop.turns, loop.period);
        add(calls, candidate, loop);
    }

    void note_unlike(const Calls& calls, const Loop& loop) {
        if (unlike_.empty()) {
            unlike_ = fmt::format(
                "{} of the program look like {} turns of {}, but they do not compute the same, also not by twos, "
                "threes or fours, so that all calls are one step; the first difference: {}",
                span_of(calls, loop.first, loop.end()), loop.turns, loop.period,
                turn_difference(calls, loop, command_set_));
        }
    }

    void note_stretches(const Calls& calls) {
        const std::string difference = stretch_difference(calls, command_set_);
        if (!difference.empty()) {
            unlike_ = fmt::format(
                "no calls repeat with a program and a read in each turn, so that all of them are one step; the first "
                "difference between two turns: {}",
                difference);
        }
    }

    void add(const Calls& calls, const Loop& candidate, const Loop& loop) {
        const auto has_work = [&calls](std::size_t from) {
            return std::any_of(calls.begin() + static_cast<std::ptrdiff_t>(from), calls.end(),
                               [](const Call& call) { return is_program(call) || (call.kind == CallKind::kRead); });
        };
        const std::size_t end = candidate.end() + candidate.after;
        std::vector<std::string> warnings;
        std::size_t idle = loop.end();  // from here on nothing is computed or read
        if (has_work(loop.end())) {
            push(calls, loop, calls, true, warnings);
            if (has_work(end) || !has_whole_turns(calls, loop)) {
                note_needed(calls, candidate, loop);
                return;
            }
            warnings.push_back(left_over(calls, candidate, loop));
            idle = end;
        }
        for (std::size_t i = idle; i < calls.size(); ++i) {
            if (calls[i].kind == CallKind::kWrite) {
                warnings.push_back(
                    fmt::format("{} (call {}) comes after the loop, and nothing reads it: it is left out",
                                calls[i].text(), calls[i].number));
            }
        }
        // Left-over calls, and writes that nothing reads, are no epilogue.
        const Calls used = warnings.empty() ? calls : part(calls, 0U, loop.end());
        push(calls, loop, used, false, warnings);
        push(calls, loop, used, true, warnings);
    }

    // A turn that begins with a read gives results of calls before the loop.
    static bool has_whole_turns(const Calls& calls, const Loop& loop) {
        return (calls[loop.first].kind != CallKind::kRead) && (calls[loop.end() - 1U].kind == CallKind::kRead);
    }

    void push(const Calls& calls, const Loop& loop, const Calls& used, bool with_prologue,
              const std::vector<std::string>& warnings) {
        interpretations_.push_back(
            interpretation(sections_of(used, loop, with_prologue), declarations_, read_, command_set_));
        interpretations_.back().how_found = found_;
        interpretations_.back().warnings = warnings;
        for (std::size_t i = loop.first - loop.before; i < loop.first; ++i) {
            interpretations_.back().turn_ends.insert(calls[i].number);
        }
        note_reads_before(calls, loop, interpretations_.back());
    }

    // Left-over turns are kept if the program continues after them.
    void note_needed(const Calls& calls, const Loop& candidate, const Loop& loop) {
        if ((loop.end() < candidate.end()) && (candidate.end() < calls.size()) && unlike_.empty()) {
            needs_all_ = true;
            const Call& next = calls[candidate.end()];
            unlike_ = fmt::format(
                "{}, and the program goes on after that, so that all calls are one step; the first one that differs "
                "from a turn: {} (call {})",
                rest_of(calls, candidate, loop), next.text(), next.number);
        }
    }

    static std::string left_over(const Calls& calls, const Loop& candidate, const Loop& loop) {
        if (candidate.after != 0U) {
            return fmt::format(
                "{} of the program, the beginning of a turn, are left over and not among what was "
                "captured: the loop has {} turns of {} calls; let it end with a whole one",
                span_of(calls, loop.end(), candidate.end() + candidate.after), loop.turns, loop.period);
        }
        return fmt::format("{}: left over and not among what was captured; let it have {}",
                           rest_of(calls, candidate, loop), (loop.turns + 1U) * (loop.period / candidate.period));
    }

    static std::string rest_of(const Calls& calls, const Loop& candidate, const Loop& loop) {
        const std::size_t turns = loop.period / candidate.period;
        const std::size_t left = candidate.turns - (loop.turns * turns);
        return fmt::format(
            "{} turn{} of the program ({}) {} not fill a step, which holds {}, because buffers take "
            "turns, and the loop has {}",
            left, (left == 1U) ? "" : "s", span_of(calls, loop.end(), candidate.end()), (left == 1U) ? "does" : "do",
            turns, candidate.turns);
    }

    // The binary does not give what the host has read before the loop.
    static void note_reads_before(const Calls& calls, const Loop& loop, Interpretation& interpretation) {
        const auto end = calls.begin() + static_cast<std::ptrdiff_t>(loop.first);
        const auto is_read = [](const Call& call) { return call.kind == CallKind::kRead; };
        const auto first = std::find_if(calls.begin(), end, is_read);
        if (first != end) {
            interpretation.warnings.push_back(
                fmt::format("{} (call {}) is in front of the loop, as {} in all: the binary does not give what is read "
                            "there; let it be like a turn where it is one",
                            first->text(), first->number, std::count_if(calls.begin(), end, is_read)));
        }
    }

    const Declarations& declarations_;
    const std::set<std::uint64_t>& read_;
    const CommandSet& command_set_;
    std::vector<Interpretation> interpretations_;
    std::string found_{"no calls repeat with a program and a read in each turn, so that all of them are one step"};
    std::string unlike_;
    bool is_loop_{false};
    bool is_loop_as_written_{false};
    bool needs_all_{false};
};

}  // namespace

std::vector<Interpretation> interpretations_of(const std::vector<Section>& sections,
                                               const std::vector<Section>& in_turn_order,
                                               const Declarations& declarations, const CommandSet& command_set) {
    const std::set<std::uint64_t> read = read_writes(sections, command_set);
    if (sections.size() > 1U) {
        return {interpretation(sections, declarations, read, command_set)};
    }
    Finder finder{declarations, read, command_set};
    finder.search(sections.front().calls, true);
    if (!in_turn_order.empty()) {
        finder.search(in_turn_order.front().calls, false);
    }
    return finder.interpretations(sections.front().calls);
}

}  // namespace pianola::host
