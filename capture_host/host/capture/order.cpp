#include "capture_host/host/capture/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "capture_host/host/capture/data_flow.h"

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

namespace {

using Sources = std::vector<Origin>;

// The first call whose sources in the binary differ.
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
            // A read of bytes that nothing in the binary writes has a separate refusal.
            if ((differs.first != found.end()) && (differs.second != should.end()) && (differs.first->writer != 0U)) {
                return Misplaced{&call, section->kind, DataFlow::call_of(differs.second->writer),
                                 DataFlow::call_of(differs.first->writer)};
            }
        }
    }
    return std::nullopt;
}

}  // namespace

void check_order(const Interpretation& interpretation, const Scripts& scripts, const std::vector<Section>& sections,
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
    const std::optional<Misplaced> misplaced = first_misplaced(interpretation.sections, binary, wanted);
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
