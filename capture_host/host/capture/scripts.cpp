#include "capture_host/host/capture/scripts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <set>

#include "capture_host/host/capture/checks.h"
#include "capture_host/host/capture/events.h"
#include "pianola/config.h"

namespace pianola::host {
namespace {

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

}  // namespace pianola::host
