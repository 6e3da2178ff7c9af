#include "capture_host/host/capture/sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "capture_host/host/capture/pairs.h"

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

// Of several writes of a buffer in a section, those that nothing reads are no inputs; the writes of one call of a mesh
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

}  // namespace

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
    declare_missing(made.sections, made.declarations, command_set);
    return made;
}

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

}  // namespace pianola::host
