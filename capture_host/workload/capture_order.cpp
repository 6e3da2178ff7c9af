#include "capture_host/workload/capture_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "capture_host/workload/data_flow.h"

namespace pianola::host {

RangeSet reach_of(const DeclaredParameter& declared, const std::vector<Section>& sections,
                  const CommandSet& command_set) {
    const TraceParameter& parameter = declared.parameter;
    RangeSet reach;
    if (parameter.kind != TraceParameterKind::kBufferAddress) {
        return reach;
    }
    std::vector<std::uint32_t> words;
    for (const Section& section : sections) {
        for (const Call& call : section.calls) {
            const bool is_it = (call.kind == CallKind::kReplay) && (call.object == declared.trace.value);
            words = is_it ? call.trace->words : words;
        }
    }
    const auto extents = [&](std::uint32_t value) {
        for (const std::uint32_t word : parameter.words) {
            if (word < words.size()) {
                words[word] = value;
            }
        }
        std::vector<Extent> found;
        (void)targets::for_each_command(command_set, words, [&](std::uint32_t /*at*/, const DecodedCommand& command) {
            found.insert(found.end(), command.extents.view().begin(), command.extents.view().end());
        });
        return found;
    };
    const std::vector<Extent> least = extents(parameter.minimum);
    const std::vector<Extent> greatest = extents(parameter.maximum);
    for (std::size_t i = 0U; i < std::min(least.size(), greatest.size()); ++i) {
        if (least[i].address != greatest[i].address) {
            reach.add(least[i].address, greatest[i].address + hull_bytes(greatest[i]));
        }
    }
    return reach;
}

void check_front(const Reading& reading, const CommandSet& command_set) {
    const std::vector<Section>& sections = reading.sections;
    DataFlow front{command_set};
    for (const Call& call : sections.front().calls) {
        front.add(call);
    }
    DataFlow work{command_set};
    for (auto section = std::next(sections.begin()); section != sections.end(); ++section) {
        for (const Call& call : section->calls) {
            work.add(call);
        }
    }
    RangeSet needed = work.found();
    for (const DeclaredParameter& declared : reading.declarations.parameters) {
        needed.add(reach_of(declared, sections, command_set));
    }
    const std::optional<ByteRange> bytes = front.recomputed(needed);
    if (bytes.has_value()) {
        throw HostError{
            HostRule::kCaptureContent,
            fmt::format(
                "{} bytes at 0x{:08X} are written by the host, changed by a program in front of the first step, "
                "and read by a step: mark a prologue in front of that program, and let it write to another "
                "buffer",
                bytes->end - bytes->begin, bytes->begin)};
    }
}

namespace {

// Which calls depend on which writes, as data flows through programs.
class Dependence {
  public:
    explicit Dependence(const CommandSet& command_set) : flow_{command_set} {}

    // The writes among `of` that the call depends on, by their calls' numbers.
    const std::set<std::uint64_t>& add(const Call& call, const std::set<std::uint64_t>& of) {
        std::set<std::uint64_t>& on = by_call_[call.number];
        for (const Origin& origin : flow_.add_named(call)) {
            const std::uint64_t writer = DataFlow::call_of(origin.writer);
            if (of.count(writer) != 0U) {
                on.insert(writer);
            }
            const auto known = by_call_.find(writer);
            if ((known != by_call_.end()) && (&known->second != &on)) {
                on.insert(known->second.begin(), known->second.end());
            }
        }
        return on;
    }

  private:
    DataFlow flow_;
    std::map<std::uint64_t, std::set<std::uint64_t>> by_call_;
};

}  // namespace

void check_front_turns(const Reading& reading, const CommandSet& command_set) {
    if (reading.found.empty() || (reading.sections.size() < 2U) ||
        (reading.sections[1].kind != ScriptKind::kPrologue)) {
        return;
    }
    std::map<std::uint64_t, const Call*> front;  // in the program's order
    std::set<std::uint64_t> set_up;
    for (const Call& call : reading.sections.front().calls) {
        front[call.number] = &call;
        if ((call.kind == CallKind::kWrite) && (reading.declarations.constants.count(call.object) == 0U)) {
            set_up.insert(call.number);
        }
    }
    for (const Call& call : reading.sections[1].calls) {
        front[call.number] = &call;
    }
    Dependence dependence{command_set};
    std::set<std::uint64_t> used;  // by programs of the prologue
    std::map<std::uint64_t, const Call*> shown;
    for (const auto& [number, call] : front) {
        const std::set<std::uint64_t>& on = dependence.add(*call, set_up);
        if (call->kind == CallKind::kRead) {
            for (const std::uint64_t write : on) {
                shown.emplace(write, call);
            }
        } else {
            used.insert(on.begin(), on.end());
        }
    }
    for (const auto& [write, read] : shown) {
        if (used.count(write) != 0U) {
            throw HostError{
                HostRule::kCaptureContent,
                fmt::format("{} (call {}) in front of the loop would be a constant of the binary, and {} (call {}) "
                            "gives what was computed from it, as in a turn: let that turn make the same calls as those "
                            "of the loop, make it before the capture begins, or say with declare_constant() that it is "
                            "the same for all inputs",
                            front.at(write)->text(), write, read->text(), read->number)};
        }
    }
}

void check_first_contents(const Reading& reading, const Call& write, const CommandSet& command_set) {
    if (!TensorCursor{reading.declarations.inputs}.next(write.object).has_value()) {
        return;
    }
    Dependence dependence{command_set};
    for (const Section& section : reading.sections) {
        for (const Call& call : section.calls) {
            if ((dependence.add(call, {write.number}).count(write.number) != 0U) && (call.kind == CallKind::kRead)) {
                throw HostError{
                    HostRule::kCaptureContent,
                    fmt::format("{} (call {}) in front of the loop writes an input, and {} (call {}) gives what was "
                                "computed from it: it is no constant; let the loop have all turns, or mark them",
                                write.text(), write.number, call.text(), call.number)};
            }
        }
    }
}

namespace {

using Sources = std::vector<Origin>;

// The first call whose sources in the binary are others.
struct Misplaced {
    const Call* call{nullptr};
    ScriptKind where{ScriptKind::kUnspecified};
    std::uint64_t should{0U};  // numbers of the calls that wrote; 0: none
    std::uint64_t is{0U};
};

std::optional<Misplaced> first_misplaced(const std::vector<Section>& sections, DataFlow& binary,
                                         const std::map<std::uint64_t, Sources>& wanted) {
    for (auto section = std::next(sections.begin()); section != sections.end(); ++section) {
        for (const Call& call : section->calls) {
            const Sources found = binary.add_named(call);
            if ((call.kind == CallKind::kRecordEvent) || (call.kind == CallKind::kWaitEvent)) {
                continue;
            }
            const Sources& should = wanted.at(call.number);
            const auto differs = std::mismatch(found.begin(), found.end(), should.begin(), should.end());
            // What nothing in the binary writes is refused as such.
            if ((differs.first != found.end()) && (differs.second != should.end()) && (differs.first->writer != 0U)) {
                return Misplaced{&call, section->kind, DataFlow::call_of(differs.second->writer),
                                 DataFlow::call_of(differs.first->writer)};
            }
        }
    }
    return std::nullopt;
}

}  // namespace

void check_order(const Reading& reading, const Scripts& scripts, const std::vector<Section>& sections,
                 const CommandSet& command_set) {
    std::map<std::uint64_t, Sources> wanted;
    std::map<std::uint64_t, const Call*> by_number;
    DataFlow program{command_set};
    for (const Section& section : sections) {
        for (const Call& call : section.calls) {
            wanted[call.number] = program.add_named(call);
            by_number[call.number] = &call;
        }
    }
    DataFlow binary{command_set};
    for (const Call* const write : scripts.setup_writes) {
        (void)binary.add_named(*write);
    }
    const std::optional<Misplaced> misplaced = first_misplaced(reading.sections, binary, wanted);
    if (misplaced.has_value()) {
        const auto text = [&by_number](std::uint64_t number) {
            return (number == 0U) ? "nothing in the capture"
                                  : fmt::format("{} (call {})", by_number.at(number)->text(), number);
        };
        throw OrderRefused{
            fmt::format("{} (call {}) in {} reads what {} has written, and in the binary would find what {} writes: "
                        "set-up comes first there, with the last contents of each buffer, and every step uses the "
                        "first step's memory; use a buffer of its own for each of the two",
                        misplaced->call->text(), misplaced->call->number, script_name(misplaced->where),
                        text(misplaced->should), text(misplaced->is))};
    }
}

}  // namespace pianola::host
