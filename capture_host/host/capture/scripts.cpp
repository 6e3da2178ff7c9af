#include "capture_host/host/capture/scripts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <set>

#include "pianola/config.h"

namespace pianola::host {
namespace {

// Events of the manifest by call; calls that are missing have no effect.
struct EffectiveEvents {
    std::map<const Call*, std::uint32_t> events;
    std::vector<const Call*> before;  // records before the first mark that a later section waits for
};

// The last record of an event, in program order.
struct LastRecord {
    const Call* call{nullptr};
    std::set<std::uint32_t> waited_on;  // queues
    bool before{false};                 // the first mark
};

class EventWalk {
  public:
    void section(const Section& section, bool before) {
        for (const Call& call : section.calls) {
            if (call.kind == CallKind::kRecordEvent) {
                last_[call.object] = LastRecord{&call, {}, before};
            } else if (call.kind == CallKind::kWaitEvent) {
                wait(call, before);
            } else {
                // Events only.
            }
        }
    }

    // Whether the wait had an effect in this walk of its section, by call.
    std::map<const Call*, std::vector<bool>> waits;
    std::set<const Call*> records;
    std::vector<const Call*> before_records;

  private:
    void wait(const Call& call, bool before) {
        LastRecord& last = last_[call.object];
        // A queue need not wait for its own record, nor twice for the same record.
        const bool works =
            (last.call != nullptr) && (last.call->queue != call.queue) && last.waited_on.insert(call.queue).second;
        if (before) {
            return;
        }
        waits[&call].push_back(works);
        if (works && last.before) {
            before_records.push_back(last.call);
        } else if (works) {
            records.insert(last.call);
        } else {
            // No effect.
        }
    }

    std::map<std::uint64_t, LastRecord> last_;
};

// Gives waits the number of their record in a second walk.
void number_waits(const EventWalk& walk, const std::vector<const Section*>& sections, EffectiveEvents& result) {
    std::map<std::uint64_t, const Call*> last;
    for (const Call* const record : walk.before_records) {
        last[record->object] = record;
    }
    for (const Section* const section : sections) {
        for (const Call& call : section->calls) {
            if (call.kind == CallKind::kRecordEvent) {
                last[call.object] = &call;
            }
            if (call.kind != CallKind::kWaitEvent) {
                continue;
            }
            const std::vector<bool>& works = walk.waits.at(&call);
            if (works.front() != works.back()) {
                throw HostError{
                    HostRule::kCaptureContent,
                    fmt::format("{} is for a record of one step only, but every step would wait: record the event "
                                "in every step, or wait for it once, in the prologue",
                                call.text())};
            }
            if (works.front()) {
                result.events[&call] = result.events.at(last.at(call.object));
            }
        }
    }
}

// Which records and waits have an effect: in a script, records and waits of an event alternate; in a program they need
// not. `marked`: prologue and epilogue if present, and the step twice, because what holds for two steps holds for all.
// Throws API-CAPTURE-*.
EffectiveEvents effective_events(const Section& before, const std::vector<const Section*>& marked) {
    EventWalk walk;
    walk.section(before, true);
    for (const Section* const section : marked) {
        walk.section(*section, false);
    }
    EffectiveEvents result;
    result.before = walk.before_records;
    std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> numbers;  // event and recording queue
    const auto number = [&](const Call& record) {
        const auto key = std::make_pair(record.object, record.queue);
        const auto found = numbers.emplace(key, static_cast<std::uint32_t>(numbers.size())).first;
        result.events[&record] = found->second;
    };
    for (const Call* const record : walk.before_records) {
        number(*record);
    }
    for (const Section* const section : marked) {
        for (const Call& call : section->calls) {
            if ((call.kind == CallKind::kRecordEvent) && (walk.records.count(&call) != 0U)) {
                number(call);
            }
        }
    }
    number_waits(walk, marked, result);
    if (numbers.size() > kMaxEvents) {
        throw HostError{HostRule::kCaptureLimit,
                        fmt::format("{} events are needed, {} fit; use an event again where its record "
                                    "has been waited for",
                                    numbers.size(), kMaxEvents)};
    }
    return result;
}

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

// Checks that all steps of a loop are alike.
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

// Checks that every tensor is moved once in a step.
void check_scripts(const Scripts& scripts, const Declarations& declarations) {
    const std::vector<ScriptItem>& step = scripts.find(ScriptKind::kStep)->commands;
    check_tensors(step, ScriptCommandKind::kWriteInput, declarations.inputs, "input", "a step");
    check_tensors(step, ScriptCommandKind::kReadOutput, declarations.outputs, "output", "a step");
}

bool is_one(const std::vector<DeclaredTensor>& tensors, std::uint64_t buffer) {
    return TensorCursor{tensors}.next(buffer).has_value();
}

// Makes scripts from sections, one after the other.
class ScriptMaker {
  public:
    ScriptMaker(const Declarations& declarations, const EffectiveEvents& events, bool marked, Scripts& out)
        : declarations_{declarations}, events_{events}, marked_{marked}, out_{out} {}

    std::vector<ScriptItem> make(const Section* section, ScriptKind kind, const std::vector<const Call*>& first) {
        items_.clear();
        gathered_ = {};
        used_.clear();
        inputs_ = std::make_unique<TensorCursor>(declarations_.inputs);
        outputs_ = std::make_unique<TensorCursor>(declarations_.outputs);
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
    // Consecutive programs on a queue.
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
        const std::optional<std::uint32_t> input = inputs_->next(call.object);
        if (input.has_value()) {
            flush(call.queue);
            items_.push_back({ScriptCommandKind::kWriteInput, call.queue, *input});
        } else if (marked_) {
            throw HostError{HostRule::kCaptureTensor,
                            fmt::format("{} (call {}) in {}: the buffer is no declared input; declare it, or write it "
                                        "before the first mark, where it becomes part of the set-up",
                                        call.text(), call.number, script_name(kind))};
        } else {
            // Set-up.
        }
    }

    void read(const Call& call, ScriptKind kind) {
        const std::optional<std::uint32_t> output = outputs_->next(call.object);
        if (!output.has_value()) {
            throw HostError{
                HostRule::kCaptureTensor,
                fmt::format("{} (call {}) in {}: the buffer is no declared output; declare it, or leave the "
                            "read out{}",
                            call.text(), call.number, script_name(kind),
                            (kind == ScriptKind::kEpilogue)
                                ? ": after the loop the last outputs are read, where its first inputs were written "
                                  "in front of it"
                                : "")};
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
        // Also if the event has no effect, so that prologue, step and epilogue share their traces.
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

    // A trace is replayed once in a script: a second replay uses a copy.
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
    std::unique_ptr<TensorCursor> inputs_;  // of the section
    std::unique_ptr<TensorCursor> outputs_;
};

// The data that the captured run moved, inference by inference.
std::vector<std::vector<std::vector<std::uint8_t>>> contents(const std::vector<const Section*>& sections, CallKind kind,
                                                             const std::vector<DeclaredTensor>& tensors) {
    std::vector<std::vector<std::vector<std::uint8_t>>> all;
    for (const Section* const section : sections) {
        std::vector<std::vector<std::uint8_t>> one(tensors.size());
        TensorCursor cursor{tensors};
        bool any = false;
        for (const Call& call : section->calls) {
            const std::optional<std::uint32_t> index = (call.kind == kind) ? cursor.next(call.object) : std::nullopt;
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
        if ((call.kind == CallKind::kWrite) && !is_one(declarations.inputs, call.object)) {
            if (last.count(call.object) == 0U) {
                order.push_back(call.object);
            }
            last[call.object] = &call;
        }
    }
    for (const auto& [id, constant] : declarations.constants) {
        if (last.count(id) == 0U) {
            throw HostError{HostRule::kCaptureTensor,
                            fmt::format("the constant '{}' (buffer {}) was not written before the first step; "
                                        "write it after begin_capture and before the first mark",
                                        constant.name, id)};
        }
    }
    std::vector<const Call*> writes;
    for (const std::uint64_t id : order) {
        writes.push_back(last.at(id));
    }
    return writes;
}

// The last record of each event before the first step that neither script nor host has waited for.
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

std::optional<std::uint32_t> TensorCursor::next(std::uint64_t buffer) {
    std::uint32_t& passed = passed_[buffer];  // tensors, up to the buffer's last one
    std::optional<std::uint32_t> found;
    for (std::uint32_t i = 0U; i < tensors_.size(); ++i) {
        if (tensors_[i].id.value == buffer) {
            found = i;
            if (i >= passed) {
                break;
            }
        }
    }
    passed = found.value_or(0U) + 1U;
    return found;
}

const char* script_name(ScriptKind kind) {
    switch (kind) {
        case ScriptKind::kSetup:
            return "the set-up";
        case ScriptKind::kPrologue:
            return "the prologue";
        case ScriptKind::kEpilogue:
            return "the epilogue";
        case ScriptKind::kStep:
        case ScriptKind::kUnspecified:
        default:
            return "the step";
    }
}

const capture::ManifestScript* Scripts::find(ScriptKind kind) const {
    const auto found = std::find_if(scripts.begin(), scripts.end(),
                                    [kind](const capture::ManifestScript& script) { return script.kind == kind; });
    return (found == scripts.end()) ? nullptr : &*found;
}

Scripts make_scripts(const std::vector<Section>& sections, const Declarations& declarations) {
    const Section nothing;
    const bool marked = sections.size() > 1U;  // else everything is one step
    const Section& before = marked ? sections.front() : nothing;
    Scripts scripts;
    scripts.setup_writes = setup_writes(sections.front(), declarations);
    std::vector<const Section*> steps;
    std::vector<const Section*> all;  // in the order of the calls
    for (const Section& section : sections) {
        if ((section.kind == ScriptKind::kStep) || !marked) {
            steps.push_back(&section);
        }
        if (&section != &before) {
            all.push_back(&section);
        }
    }
    if (steps.empty()) {
        throw HostError{HostRule::kCaptureState, "the capture has no step; call begin_step() where one begins"};
    }
    check_steps_alike(steps);
    scripts.steps = static_cast<std::uint32_t>(steps.size());
    const Section& step = *steps.front();
    const Section* const prologue = first_section(sections, ScriptKind::kPrologue);
    const Section* const epilogue = first_section(sections, ScriptKind::kEpilogue);
    std::vector<const Section*> walked{&step, &step};
    std::vector<const Section*> before_steps{&before};
    if (prologue != nullptr) {
        walked.insert(walked.begin(), prologue);
        before_steps.push_back(prologue);
    }
    if (epilogue != nullptr) {
        walked.push_back(epilogue);
    }
    const EffectiveEvents events = effective_events(before, walked);
    ScriptMaker maker{declarations, events, marked, scripts};
    const auto add = [&](ScriptKind kind, const Section* section, const std::vector<const Call*>& first) {
        capture::ManifestScript script{kind, maker.make(section, kind, first)};
        if ((kind == ScriptKind::kStep) || !script.commands.empty()) {
            scripts.scripts.push_back(std::move(script));
        }
    };
    add(ScriptKind::kPrologue, prologue, events.before);
    add(ScriptKind::kStep, &step, {});
    add(ScriptKind::kEpilogue, epilogue, {});
    scripts.lost_prologue = (prologue != nullptr) && (scripts.find(ScriptKind::kPrologue) == nullptr);
    scripts.idle_records = idle_records(before_steps, events);
    check_scripts(scripts, declarations);
    scripts.inputs = contents(all, CallKind::kWrite, declarations.inputs);
    scripts.outputs = contents(all, CallKind::kRead, declarations.outputs);
    if (declarations.inputs.empty()) {
        scripts.inputs.resize(scripts.outputs.size());
    } else if (declarations.outputs.empty()) {
        scripts.outputs.resize(scripts.inputs.size());
    } else {
        // Every inference has both.
    }
    return scripts;
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
