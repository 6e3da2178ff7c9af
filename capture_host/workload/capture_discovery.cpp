#include "capture_host/workload/capture_discovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "capture_host/interrupt/interrupt.h"
#include "capture_host/workload/data_flow.h"

namespace pianola::host {
namespace {

using Calls = std::vector<Call>;

constexpr std::size_t kMostTurns = 4U;  // of a program's loop in one step: as many buffers may take turns

struct Loop {
    std::size_t first{0U};
    std::size_t period{0U};  // calls
    std::size_t turns{0U};
};

bool is_program(const Call& call) {
    return (call.kind == CallKind::kProgram) || (call.kind == CallKind::kReplay);
}

bool has(const Calls& calls, std::size_t first, std::size_t count, CallKind kind) {
    const auto begin = calls.begin() + static_cast<std::ptrdiff_t>(first);
    return std::any_of(begin, begin + static_cast<std::ptrdiff_t>(count),
                       [kind](const Call& call) { return call.kind == kind; });
}

Calls part(const Calls& calls, std::size_t first, std::size_t count) {
    const auto begin = calls.begin() + static_cast<std::ptrdiff_t>(first);
    return Calls{begin, begin + static_cast<std::ptrdiff_t>(count)};
}

std::vector<std::uint64_t> flow_of(const Calls& calls, const CommandSet& command_set) {
    std::map<std::uint32_t, DataFlow> flows;  // devices share no memory
    for (const Call& call : calls) {
        flows.try_emplace(call.device, command_set).first->second.add(call);
    }
    std::vector<std::uint64_t> all;
    for (auto& [device, flow] : flows) {
        const std::vector<std::uint64_t> one = flow.end();
        all.insert(all.end(), {device, one.size()});
        all.insert(all.end(), one.begin(), one.end());
    }
    return all;
}

// A number for each call, the same for calls of one shape.
std::vector<std::size_t> shapes_of(const Calls& calls, const CommandSet& command_set) {
    std::map<std::vector<std::uint64_t>, std::size_t> known;
    std::vector<std::size_t> shapes;
    for (const Call& call : calls) {
        std::vector<std::uint64_t> shape = call_shape(call, command_set);
        shape.push_back(call.device);
        shapes.push_back(known.emplace(std::move(shape), known.size()).first->second);
    }
    return shapes;
}

// The loop that covers most calls, with a program and a read in each turn; among equals, the one with the shortest
// turns. Once for each place where its turns may be said to begin, the likeliest first; empty where there is no loop.
std::vector<Loop> loops_of(const Calls& calls, const CommandSet& command_set) {
    const std::vector<std::size_t> shapes = shapes_of(calls, command_set);
    const std::size_t count = shapes.size();
    Loop best;
    std::size_t spare = 0U;
    const auto covered = [&best] { return best.turns * best.period; };
    // Where less than a turn is left over, nothing longer is better. Else the search would be quadratic in the calls.
    const auto is_best = [&] { return (best.turns != 0U) && ((count - covered()) < best.period); };
    for (std::size_t period = 1U; ((2U * period) <= count) && !is_best(); ++period) {
        std::size_t first = 0U;
        interrupt::check();
        for (std::size_t i = 0U; (i <= (count - period)) && ((count - first) > covered()); ++i) {
            if ((i < (count - period)) && (shapes[i] == shapes[i + period])) {
                continue;
            }
            const std::size_t length = (i - first) + period;
            const Loop loop{first, period, length / period};
            if ((loop.turns >= 2U) && ((loop.turns * period) > covered()) &&
                has(calls, first, period, CallKind::kRead) &&
                std::any_of(calls.begin() + static_cast<std::ptrdiff_t>(first),
                            calls.begin() + static_cast<std::ptrdiff_t>(first + period), is_program)) {
                best = loop;
                spare = length % period;
            }
            first = i + 1U;
        }
    }
    // A turn that ends with a read is what people write.
    std::vector<Loop> loops;
    for (const bool with_read : {true, false}) {
        for (std::size_t shift = 0U; (best.turns != 0U) && (shift <= spare); ++shift) {
            const std::size_t last = (best.first + shift + best.period) - 1U;
            if ((calls[last].kind == CallKind::kRead) == with_read) {
                loops.push_back({best.first + shift, best.period, best.turns});
            }
        }
    }
    return loops;
}

// With several turns in a step where buffers take turns. No turns: the turns are not the same.
Loop unrolled(const Calls& calls, const Loop& loop, const CommandSet& command_set) {
    for (std::size_t turns = 1U; (turns <= kMostTurns) && ((2U * turns) <= loop.turns); ++turns) {
        const std::size_t period = loop.period * turns;
        const std::size_t first = loop.first + ((loop.turns % turns) * loop.period);
        const std::vector<std::uint64_t> wanted = flow_of(part(calls, first, period), command_set);
        bool is_same = true;
        for (std::size_t i = 1U; is_same && (i < (loop.turns / turns)); ++i) {
            is_same = flow_of(part(calls, first + (i * period), period), command_set) == wanted;
        }
        if (is_same) {
            return {first, period, loop.turns / turns};
        }
    }
    return {};
}

// The calls of `like`, with the data that these have moved.
Calls moved_by(const Calls& like, const Calls& calls) {
    Calls made = like;
    for (std::size_t i = 0U; i < made.size(); ++i) {
        made[i].data = calls[i].data;
        made[i].handle = calls[i].handle;
        made[i].number = calls[i].number;
        made[i].replicas = calls[i].replicas;
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

// What is in front of the loop is set-up; or its programs and first inputs are a prologue, and what is behind the loop
// is the epilogue.
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
    const std::size_t behind = loop.first + (loop.period * loop.turns);
    if (behind < calls.size()) {
        sections.push_back({ScriptKind::kEpilogue, part(calls, behind, calls.size() - behind)});
    }
    return sections;
}

// Every step as the first one, where they compute the same.
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

// Writes whose bytes something has read, by their calls' numbers.
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

bool is_written_again(const Calls& calls, std::size_t place) {
    return std::any_of(calls.begin() + static_cast<std::ptrdiff_t>(place) + 1, calls.end(), [&](const Call& later) {
        return (later.kind == CallKind::kWrite) && (later.object == calls[place].object);
    });
}

// Of several writes of a buffer in a section, those that nothing reads are no inputs.
void drop_overwritten(std::vector<Section>& sections, ScriptKind kind, const std::set<std::uint64_t>& read) {
    std::vector<Calls*> alike;
    for (Section& section : sections) {
        if (section.kind == kind) {
            alike.push_back(&section.calls);
        }
    }
    for (std::size_t i = alike.empty() ? 0U : alike.front()->size(); i > 0U; --i) {
        const std::size_t place = i - 1U;
        const bool is_dropped = std::all_of(alike.begin(), alike.end(), [&](const Calls* calls) {
            return (place < calls->size()) && ((*calls)[place].kind == CallKind::kWrite) &&
                   (read.count((*calls)[place].number) == 0U) && is_written_again(*calls, place);
        });
        if (is_dropped) {
            for (Calls* const calls : alike) {
                calls->erase(calls->begin() + static_cast<std::ptrdiff_t>(place));
            }
        }
    }
}

bool is_known(const std::vector<DeclaredTensor>& tensors, std::uint64_t id) {
    return std::any_of(tensors.begin(), tensors.end(),
                       [id](const DeclaredTensor& each) { return each.id.value == id; });
}

// What every step writes and reads, in the order of the calls. A program that has declared inputs, or outputs, has
// declared all of them.
void declare_missing(const std::vector<Section>& sections, Declarations& declarations) {
    const bool find_inputs = declarations.inputs.empty();
    const bool find_outputs = declarations.outputs.empty();
    for (const Section& section : sections) {
        if (section.kind != ScriptKind::kStep) {
            continue;
        }
        for (const Call& call : section.calls) {
            const bool is_input = call.kind == CallKind::kWrite;
            auto& tensors = is_input ? declarations.inputs : declarations.outputs;
            const bool is_constant = is_input && (declarations.constants.count(call.object) != 0U);
            const bool is_wanted = is_input ? find_inputs : (find_outputs && (call.kind == CallKind::kRead));
            if (is_wanted && !is_constant) {
                const auto before = static_cast<std::uint32_t>(
                    std::count_if(tensors.begin(), tensors.end(),
                                  [&](const DeclaredTensor& other) { return other.id.value == call.object; }));
                tensors.push_back({BufferId{call.object},
                                   call.buffer,
                                   {fmt::format("{} {}", is_input ? "input" : "output", tensors.size()),
                                    call.buffer->type, call.buffer->shape},
                                   call.device,
                                   true,
                                   {call.twin, before}});
            }
        }
        return;
    }
}

// What goes from one turn to the next at both ends of the loop. An event that the step waits for before it records it
// was recorded before the capture where nothing in front does it, for else the wait would have been refused. And the
// last record waits for nobody where no turn follows: the epilogue waits for it, which orders what is ordered already.
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
                // Of no matter here.
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

Reading reading(std::vector<Section> sections, const Declarations& declarations, const std::set<std::uint64_t>& read,
                const CommandSet& command_set) {
    unify_steps(sections, command_set);
    for (const ScriptKind kind : {ScriptKind::kPrologue, ScriptKind::kStep, ScriptKind::kEpilogue}) {
        drop_overwritten(sections, kind, read);
    }
    close_events(sections);
    Reading made;
    made.sections = std::move(sections);
    made.declarations = declarations;
    made.is_found = declarations.inputs.empty() || declarations.outputs.empty();
    declare_missing(made.sections, made.declarations);
    return made;
}

// Without a loop: one step. Where inputs are declared, what else is written is set-up, else constants alone are.
Reading single_step(const Calls& calls, const Declarations& declarations, const std::set<std::uint64_t>& read,
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
    return reading(std::move(sections), declarations, read, command_set);
}

}  // namespace

std::vector<Reading> readings_of(const std::vector<Section>& sections, const Declarations& declarations,
                                 const CommandSet& command_set) {
    const std::set<std::uint64_t> read = read_writes(sections, command_set);
    if (sections.size() > 1U) {
        return {reading(sections, declarations, read, command_set)};
    }
    const Calls& calls = sections.front().calls;
    std::vector<Reading> readings;
    bool is_loop = false;
    bool looks_like_loop = false;
    std::string found = "no calls repeat with a program and a read in each turn, so that all of them are one step";
    for (const Loop& candidate : loops_of(calls, command_set)) {
        const Loop loop = unrolled(calls, candidate, command_set);
        const bool is_alike = loop.turns != 0U;
        looks_like_loop = true;
        const Loop& said = is_alike ? loop : candidate;
        const std::size_t behind = said.first + (said.period * said.turns);
        // Turns that the host gives nothing are layers of one inference, where a step has room for them.
        is_loop = is_loop || (is_alike && has(calls, loop.first, loop.period, CallKind::kWrite));
        found = fmt::format("calls {} to {} of the program {} {} turns of {}{}", said.first + 1U, behind,
                            is_alike ? "were taken for its loop:" : "look like", said.turns, said.period,
                            is_alike ? "" : ", but they do not compute the same, so that all calls are one step");
        const bool is_last =
            std::none_of(calls.begin() + static_cast<std::ptrdiff_t>(behind), calls.end(),
                         [](const Call& call) { return is_program(call) || (call.kind == CallKind::kRead); });
        for (const bool with_prologue : {false, true}) {
            if (is_alike && (is_last || with_prologue)) {
                readings.push_back(reading(sections_of(calls, loop, with_prologue), declarations, read, command_set));
                readings.back().found = found;
            }
        }
    }
    if (!is_loop) {
        readings.insert(readings.begin(), single_step(calls, declarations, read, command_set));
        readings.front().found = found;
        readings.front().warning = ((readings.size() == 1U) && looks_like_loop) ? found : std::string{};
    }
    return readings;
}

}  // namespace pianola::host
