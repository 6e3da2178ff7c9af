#include "capture_host/workload/capture_scripts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "capture_host/workload/capture_checks.h"
#include "capture_host/workload/capture_events.h"
#include "pianola/config.h"

namespace pianola::host {
namespace {

[[noreturn]] void refuse(HostRule rule, const std::string& message) {
    throw HostError{rule, message};
}

std::optional<std::uint32_t> index_of(const std::vector<DeclaredTensor>& tensors, std::uint64_t buffer) {
    for (std::uint32_t i = 0U; i < tensors.size(); ++i) {
        if (tensors[i].id.value == buffer) {
            return i;
        }
    }
    return std::nullopt;
}

const char* name_of(ScriptKind kind) {
    switch (kind) {
        case ScriptKind::kPrologue:
            return "the prologue";
        case ScriptKind::kEpilogue:
            return "the epilogue";
        case ScriptKind::kStep:
        case ScriptKind::kSetup:
        case ScriptKind::kUnspecified:
        default:
            return "the step";
    }
}

// The sections by what they are.
struct Parts {
    const Section* before{nullptr};
    const Section* prologue{nullptr};
    std::vector<const Section*> steps;
    const Section* epilogue{nullptr};

    [[nodiscard]] std::vector<const Section*> all() const {
        std::vector<const Section*> sections = steps;
        if (prologue != nullptr) {
            sections.insert(sections.begin(), prologue);
        }
        if (epilogue != nullptr) {
            sections.push_back(epilogue);
        }
        return sections;
    }
};

Parts parts_of(const std::vector<Section>& sections) {
    Parts parts;
    for (const Section& section : sections) {
        switch (section.kind) {
            case ScriptKind::kPrologue:
                parts.prologue = &section;
                break;
            case ScriptKind::kStep:
                parts.steps.push_back(&section);
                break;
            case ScriptKind::kEpilogue:
                parts.epilogue = &section;
                break;
            case ScriptKind::kUnspecified:
            case ScriptKind::kSetup:
            default:
                parts.before = &section;
                break;
        }
    }
    return parts;
}

// Makes scripts of sections, one after the other.
class Maker {
  public:
    Maker(const Declarations& declarations, const EffectiveEvents& events, bool marked, Scripts& out)
        : declarations_{declarations}, events_{events}, marked_{marked}, out_{out} {}

    std::vector<ScriptItem> make(const Section* section, ScriptKind kind, const std::vector<const Call*>& first = {}) {
        items_.clear();
        gathered_ = {};
        used_.clear();
        for (const Call* const call : first) {
            event(ScriptCommandKind::kRecordEvent, *call);
        }
        if (section != nullptr) {
            for (const Call& call : section->calls) {
                add(call, kind);
            }
        }
        for (std::uint32_t queue = 0U; queue < kMaxQueues; ++queue) {
            flush(queue);
        }
        return items_;
    }

  private:
    // Programs that follow each other on a queue.
    struct Gathered {
        std::size_t item{0U};  // place of their replay
        TraceWords words;
    };

    void add(const Call& call, ScriptKind kind) {
        switch (call.kind) {
            case CallKind::kWrite:
                write(call, kind);
                break;
            case CallKind::kRead:
                read(call, kind);
                break;
            case CallKind::kProgram:
                program(call);
                break;
            case CallKind::kReplay:
                flush(call.queue);
                items_.push_back({ScriptCommandKind::kReplayTrace, call.queue,
                                  trace(ScriptTrace{call.trace->source, fmt::format("trace {}", out_.traces.size()),
                                                    call.trace->words, call.trace->names})});
                break;
            case CallKind::kRecordEvent:
                event(ScriptCommandKind::kRecordEvent, call);
                break;
            case CallKind::kWaitEvent:
            default:
                event(ScriptCommandKind::kWaitEvent, call);
                break;
        }
    }

    void write(const Call& call, ScriptKind kind) {
        const std::optional<std::uint32_t> input = index_of(declarations_.inputs, call.object);
        if (input.has_value()) {
            flush(call.queue);
            items_.push_back({ScriptCommandKind::kWriteInput, call.queue, *input});
        } else if (marked_) {
            refuse(HostRule::kCaptureTensor,
                   fmt::format("{} in {}: the buffer is no declared input; declare it, or write it "
                               "before the first mark, where it becomes part of the set-up",
                               call.text(), name_of(kind)));
        } else {
            // Set-up.
        }
    }

    void read(const Call& call, ScriptKind kind) {
        const std::optional<std::uint32_t> output = index_of(declarations_.outputs, call.object);
        if (!output.has_value()) {
            refuse(HostRule::kCaptureTensor,
                   fmt::format("{} in {}: the buffer is no declared output; declare it, or leave the "
                               "read out",
                               call.text(), name_of(kind)));
        }
        flush(call.queue);
        items_.push_back({ScriptCommandKind::kReadOutput, call.queue, *output});
    }

    void program(const Call& call) {
        std::optional<Gathered>& gathered = gathered_.at(call.queue);
        if (!gathered.has_value()) {
            gathered = Gathered{items_.size(), {}};
            items_.push_back({ScriptCommandKind::kReplayTrace, call.queue, 0U});
        }
        gathered->words.append(call.trace->programs.front());
    }

    void event(ScriptCommandKind kind, const Call& call) {
        // Also where the event has no effect: so that prologue, step and epilogue share their traces.
        flush(call.queue);
        const auto number = events_.events.find(&call);
        if (number != events_.events.end()) {
            items_.push_back({kind, call.queue, number->second});
        }
    }

    void flush(std::uint32_t queue) {
        std::optional<Gathered>& gathered = gathered_.at(queue);
        if (gathered.has_value()) {
            const std::vector<TraceProgramInfo> programs = program_infos(gathered->words);
            items_.at(gathered->item).object =
                trace(ScriptTrace{{}, programs.front().name, gathered->words.finished(), programs});
            gathered.reset();
        }
    }

    // A trace is replayed once in a script: a second time, it is a copy.
    std::uint32_t trace(const ScriptTrace& wanted) {
        for (std::uint32_t i = 0U; i < out_.traces.size(); ++i) {
            const ScriptTrace& known = out_.traces[i];
            if ((known.words == wanted.words) && (known.source == wanted.source) && used_.insert(i).second) {
                return i;
            }
        }
        const auto index = static_cast<std::uint32_t>(out_.traces.size());
        out_.traces.push_back(wanted);
        used_.insert(index);
        return index;
    }

    const Declarations& declarations_;
    const EffectiveEvents& events_;
    bool marked_;
    Scripts& out_;
    std::vector<ScriptItem> items_;
    std::array<std::optional<Gathered>, kMaxQueues> gathered_;
    std::set<std::uint32_t> used_;
};

// What the captured run has moved, inference by inference.
std::vector<std::vector<std::vector<std::uint8_t>>> contents(const std::vector<const Section*>& sections, CallKind kind,
                                                             const std::vector<DeclaredTensor>& tensors) {
    std::vector<std::vector<std::vector<std::uint8_t>>> all;
    for (const Section* const section : sections) {
        std::vector<std::vector<std::uint8_t>> one(tensors.size());
        bool any = false;
        for (const Call& call : section->calls) {
            const std::optional<std::uint32_t> index =
                (call.kind == kind) ? index_of(tensors, call.object) : std::nullopt;
            if (index.has_value()) {
                one[*index] = (kind == CallKind::kWrite) ? call.data : call.handle.data();
                any = true;
            }
        }
        if (any) {
            all.push_back(std::move(one));
        }
    }
    return all;
}

std::vector<const Call*> setup_writes(const Section& section, const Declarations& declarations) {
    std::map<std::uint64_t, const Call*> last;
    std::vector<std::uint64_t> order;
    for (const Call& call : section.calls) {
        if ((call.kind == CallKind::kWrite) && !index_of(declarations.inputs, call.object).has_value()) {
            if (last.count(call.object) == 0U) {
                order.push_back(call.object);
            }
            last[call.object] = &call;
        }
    }
    for (const auto& [id, name] : declarations.constants) {
        if (last.count(id) == 0U) {
            refuse(HostRule::kCaptureTensor,
                   fmt::format("the constant '{}' (buffer {}) was not written before the first step; "
                               "write it after begin_capture and before the first mark",
                               name, id));
        }
    }
    std::vector<const Call*> writes;
    for (const std::uint64_t id : order) {
        writes.push_back(last.at(id));
    }
    return writes;
}

// The last record of each event before the first step, where neither script nor host has waited for it.
std::vector<std::string> idle_records(const std::vector<const Section*>& sections, const EffectiveEvents& events) {
    std::map<std::uint64_t, const Call*> last;
    std::vector<std::uint64_t> order;
    for (const Section* const section : sections) {
        for (const Call& call : section->calls) {
            if (call.kind == CallKind::kRecordEvent) {
                order.push_back(call.object);
                last[call.object] = &call;
            } else if (call.kind == CallKind::kWaitEvent) {
                last.erase(call.object);
            } else {
                // Neither records nor waits.
            }
        }
    }
    std::vector<std::string> records;
    for (const std::uint64_t event : order) {
        const auto found = last.find(event);
        if ((found != last.end()) && (events.events.count(found->second) == 0U)) {
            records.push_back(found->second->text());
            last.erase(found);
        }
    }
    return records;
}

}  // namespace

Scripts make_scripts(const std::vector<Section>& sections, const Declarations& declarations) {
    Parts parts = parts_of(sections);
    const bool marked = !parts.steps.empty() || (parts.prologue != nullptr) || (parts.epilogue != nullptr);
    const Section nothing;
    Scripts scripts;
    scripts.setup_writes = setup_writes(*parts.before, declarations);
    if (!marked) {
        parts.steps.push_back(parts.before);
    }
    if (parts.steps.empty()) {
        refuse(HostRule::kCaptureState, "the capture has no step; call begin_step() where one begins");
    }
    check_steps_alike(parts.steps);
    scripts.steps = static_cast<std::uint32_t>(parts.steps.size());
    const Section& step = *parts.steps.front();
    const Section& before = marked ? *parts.before : nothing;
    const EffectiveEvents events = effective_events(before, parts.prologue, step, parts.epilogue);
    scripts.events = events.count;
    Maker maker{declarations, events, marked, scripts};
    if ((parts.prologue != nullptr) || !events.before.empty()) {
        scripts.prologue = maker.make(parts.prologue, ScriptKind::kPrologue, events.before);
    }
    scripts.step = maker.make(&step, ScriptKind::kStep);
    if (parts.epilogue != nullptr) {
        scripts.epilogue = maker.make(parts.epilogue, ScriptKind::kEpilogue);
    }
    // A section that is left without a command is none.
    for (auto* const script : {&scripts.prologue, &scripts.epilogue}) {
        if (script->has_value() && (*script)->empty()) {
            script->reset();
        }
    }
    scripts.lost_prologue = (parts.prologue != nullptr) && !scripts.prologue.has_value();
    std::vector<const Section*> before_steps{&before};
    if (parts.prologue != nullptr) {
        before_steps.push_back(parts.prologue);
    }
    scripts.idle_records = idle_records(before_steps, events);
    check_scripts(scripts, declarations);
    const std::vector<const Section*> all = parts.all();
    scripts.inputs = contents(all, CallKind::kWrite, declarations.inputs);
    scripts.outputs = contents(all, CallKind::kRead, declarations.outputs);
    return scripts;
}

}  // namespace pianola::host
