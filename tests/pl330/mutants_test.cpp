// Mutants of the exchange, one thing wrong in each: each is refused by its rule; no flipped bit is accepted.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "capture_host/binary/verify.h"
#include "capture_host/capture/lowering/pl330.h"
#include "hal/devices/pl330/command_set.h"
#include "hal/devices/pl330/encoding.h"
#include "pianola/development_config.h"
#include "pianola_host/files.h"
#include "tests/pl330/exchange.h"
#include "tests/pl330/workloads.h"

namespace pianola::test {
namespace {

using pl330::Lowered;

struct Mutant {
    const char* rule;
    const char* what;
    std::function<void(pl330::Lowered& lowered)> edit;
};

using Words = std::vector<std::uint32_t>;
using Edit = std::function<void(Lowered& lowered)>;

constexpr std::uint32_t kWordBytes = 4U;

Words words_of_traces(const std::vector<std::uint8_t>& bytes) {
    Words words(bytes.size() / kWordBytes);
    for (std::size_t i = 0U; i < (words.size() * kWordBytes); ++i) {
        words[i / kWordBytes] |= std::uint32_t{bytes[i]} << ((i % kWordBytes) * 8U);
    }
    return words;
}
std::vector<std::uint8_t> bytes_of(const Words& words) {
    std::vector<std::uint8_t> bytes;
    for (std::size_t i = 0U; i < (words.size() * kWordBytes); ++i) {
        bytes.push_back(static_cast<std::uint8_t>(words[i / kWordBytes] >> ((i % kWordBytes) * 8U)));
    }
    return bytes;
}

capture::ManifestTrace& trace_named(Lowered& lowered, const std::string& program) {
    std::vector<capture::ManifestTrace>& traces = lowered.manifest.traces;
    const auto found = std::find_if(traces.begin(), traces.end(),
                                    [&](const auto& trace) { return trace.programs.front().name == program; });
    if (found == traces.end()) {
        throw std::invalid_argument{program};
    }
    return *found;
}

// Every trace's words, laid out anew after a change of one of them; what the manifest says of commands stays.
void edit_words(Lowered& lowered, const std::string& program, const std::function<void(Words& words)>& edit) {
    constexpr std::size_t kAlignment = 64U;
    const capture::ManifestTrace* const changed = &trace_named(lowered, program);
    const Words all = words_of_traces(lowered.segments.traces);
    std::vector<std::uint8_t>& segment = lowered.segments.traces;
    segment.clear();
    for (capture::ManifestTrace& trace : lowered.manifest.traces) {
        const auto first = all.begin() + (trace.offset_bytes / 4U);
        Words words{first, first + trace.word_count};
        if (&trace == changed) {
            edit(words);
        }
        segment.resize(((segment.size() + kAlignment - 1U) / kAlignment) * kAlignment);
        trace.offset_bytes = static_cast<std::uint32_t>(segment.size());
        trace.word_count = static_cast<std::uint32_t>(words.size());
        const std::vector<std::uint8_t> bytes = bytes_of(words);
        segment.insert(segment.end(), bytes.begin(), bytes.end());
    }
}

Edit word(const char* program, std::uint32_t index, std::uint32_t value) {
    return [=](Lowered& lowered) { edit_words(lowered, program, [=](Words& words) { words.at(index) = value; }); };
}
Edit word_by(const char* program, std::uint32_t index, const std::function<std::uint32_t(std::uint32_t)>& change) {
    return [=](Lowered& lowered) {
        edit_words(lowered, program, [=](Words& words) { words.at(index) = change(words.at(index)); });
    };
}
// A command of one word more, in front of the others; counted.
Edit inserted(std::uint32_t value) {
    return [=](Lowered& lowered) {
        edit_words(lowered, "gather", [=](Words& words) { words.insert(words.begin(), value); });
        capture::ManifestTrace& trace = trace_named(lowered, "gather");
        trace.command_count += 1U;
        trace.programs.front().command_count += 1U;
    };
}
Edit of_trace(const std::function<void(capture::ManifestTrace& trace)>& change) {
    return [=](Lowered& lowered) { change(trace_named(lowered, "gather")); };
}
Edit of_manifest(const std::function<void(capture::Manifest& manifest)>& change) {
    return [=](Lowered& lowered) { change(lowered.manifest); };
}

std::vector<capture::ManifestCommand>& commands_of(capture::Manifest& manifest, ScriptKind kind) {
    return std::find_if(manifest.scripts.begin(), manifest.scripts.end(),
                        [&](const auto& script) { return script.kind == kind; })
        ->commands;
}
Edit of_script(ScriptKind kind, const std::function<void(std::vector<capture::ManifestCommand>& commands)>& change) {
    return [=](Lowered& lowered) { change(commands_of(lowered.manifest, kind)); };
}
// Without every command of the step of this kind and object.
void drop(std::vector<capture::ManifestCommand>& commands, ScriptCommandKind kind, std::uint32_t object) {
    const auto kept = std::remove_if(commands.begin(), commands.end(), [=](const capture::ManifestCommand& command) {
        return (command.kind == kind) && (command.object == object);
    });
    ASSERT_NE(kept, commands.end());
    commands.erase(kept, commands.end());
}
Edit without(ScriptCommandKind kind, std::uint32_t object) {
    return of_script(ScriptKind::kStep, [=](auto& commands) { drop(commands, kind, object); });
}
Edit without_pair(std::uint32_t event) {
    return of_script(ScriptKind::kStep, [=](auto& commands) {
        drop(commands, ScriptCommandKind::kRecordEvent, event);
        drop(commands, ScriptCommandKind::kWaitEvent, event);
    });
}
capture::ManifestCommand& find(std::vector<capture::ManifestCommand>& commands, ScriptCommandKind kind,
                               std::uint32_t object) {
    return *std::find_if(commands.begin(), commands.end(), [=](const capture::ManifestCommand& command) {
        return (command.kind == kind) && (command.object == object);
    });
}

// Places in the groups of `gather`: a copy of half the input, then zeros, then the end.
constexpr std::uint32_t kCopy = 0U;
constexpr std::uint32_t kZeros = pl330::kCopyWords;
constexpr std::uint32_t kEndWord = kZeros + pl330::kZerosWords;
// The fill from a constant in `spread`, after its copy.
constexpr std::uint32_t kFill = pl330::kCopyWords;

constexpr std::uint32_t kHole = 0x2000'0000U;
constexpr std::uint32_t kTraceRegion =
    board::kEngineSpec.dram_base + board::kEngineSpec.dram_bytes - board::kEngineSpec.trace_region_bytes;

std::vector<Mutant> command_mutants() {
    const std::uint32_t copy_loops = kCopy + pl330::kCopyLoopsWord;
    return {
        {"TRC-COMMAND", "an undefined instruction", word("gather", kCopy, 0x00BC'18FFU)},
        {"TRC-COMMAND", "another instruction in the place of a DMANOP", word("gather", kCopy, 0x00BC'1819U)},
        {"TRC-COMMAND", "the source's register written twice", word("gather", kCopy + 2U, pl330::kMoveSource)},
        {"TRC-COMMAND", "no control register", word("gather", kCopy + 4U, pl330::kMoveDestination)},
        {"TRC-COMMAND", "loop counters in the other order", word("gather", copy_loops, 0x0022'0020U)},
        {"TRC-COMMAND", "a store without a load", word("gather", copy_loops + 1U, 0x0238'0818U)},
        {"TRC-COMMAND", "a load without a store", word("gather", copy_loops + 1U, 0x0238'1804U)},
        {"TRC-COMMAND", "zeros stored in a copy", word("gather", copy_loops + 1U, 0x0238'0C04U)},
        {"TRC-COMMAND", "a load for single transfers only", word("gather", copy_loops + 1U, 0x0238'0805U)},
        {"TRC-COMMAND", "a loop that jumps too far", word("gather", copy_loops + 1U, 0x0338'0804U)},
        {"TRC-COMMAND", "a loop without an end", word("gather", copy_loops + 1U, 0x0228'0804U)},
        {"TRC-COMMAND", "the outer loop inside the inner one", word("gather", copy_loops + 2U, 0x1813'043CU)},
        {"TRC-COMMAND", "no barrier after the stores", word("gather", copy_loops + 2U, 0x1818'063CU)},
        {"TRC-COMMAND", "half a barrier", word("gather", copy_loops + 2U, 0x1812'063CU)},
        {"TRC-COMMAND", "zeros whose body loads", word("gather", kZeros + 5U, pl330::kLoadStore)},
        {"TRC-COMMAND", "zeros without a control register", word("gather", kZeros + 2U, pl330::kMoveSource)},
        {"TRC-COMMAND", "a read barrier alone", inserted(0x1818'1812U)},
        {"TRC-COMMAND", "an event sent from a trace", inserted(pl330::send_event_program(1U))},
        {"TRC-COMMAND", "an event waited for in a trace", inserted(0x1818'0836U)},
        {"TRC-COMMAND", "a thread that kills itself", inserted(0x1818'1801U)},
        {"TRC-COMMAND", "a peripheral flushed", inserted(0x1818'0035U)},
        {"TRC-COMMAND", "another thread started", inserted(0x1818'00A0U)},
        {"TRC-COMMAND", "an address counted up", inserted(0x1800'4054U)},
        {"TRC-COMMAND", "nothing but DMANOP", inserted(0x1818'1818U)},
        {"TRC-COMMAND", "a group cut off by the end",
         [](Lowered& lowered) { edit_words(lowered, "aside", [](Words& words) { words.resize(words.size() - 2U); }); }},
    };
}

std::vector<Mutant> argument_mutants() {
    const auto set = [](std::uint32_t bits) { return [=](std::uint32_t value) { return value | bits; }; };
    const auto flip = [](std::uint32_t bits) { return [=](std::uint32_t value) { return value ^ bits; }; };
    const auto add = [](std::uint32_t more) { return [=](std::uint32_t value) { return value + more; }; };
    const std::uint32_t control = kCopy + pl330::kCopyControlWord;
    return {
        {"TRC-ARGUMENT", "a source off its burst", word_by("gather", kCopy + 1U, add(4U))},
        {"TRC-ARGUMENT", "a destination off its burst", word_by("gather", kCopy + 3U, add(64U))},
        {"TRC-ARGUMENT", "a destination off its beat", word_by("gather", kCopy + 3U, add(1U))},
        {"TRC-ARGUMENT", "a copy onto itself",
         [](Lowered& lowered) {
             edit_words(lowered, "gather", [](Words& words) { words.at(3U) = words.at(1U) + 128U; });
         }},
        {"TRC-ARGUMENT", "a source beyond the last address", word("gather", kCopy + 1U, 0xFFFF'FF80U)},
        {"TRC-ARGUMENT", "a destination beyond the last address", word("gather", kCopy + 3U, 0xFFFF'FF80U)},
        {"TRC-ARGUMENT", "a destination that stands still", word_by("gather", control, flip(1U << 14U))},
        {"TRC-ARGUMENT", "beats of 16 bytes", word_by("gather", control, set(7U << 15U))},
        {"TRC-ARGUMENT", "more beats written than read", word_by("gather", control, flip(1U << 4U))},
        {"TRC-ARGUMENT", "larger beats read than written", word_by("gather", control, flip(1U << 1U))},
        {"TRC-ARGUMENT", "reads as a user", word_by("gather", control, set(1U << 8U))},
        {"TRC-ARGUMENT", "writes that are not secure", word_by("gather", control, set(1U << 23U))},
        {"TRC-ARGUMENT", "reads through a cache", word_by("gather", control, set(1U << 11U))},
        {"TRC-ARGUMENT", "writes through a cache", word_by("gather", control, set(1U << 25U))},
        {"TRC-ARGUMENT", "bytes in the other order", word_by("gather", control, set(2U << 28U))},
        {"TRC-ARGUMENT", "a bit that the register does not have", word_by("gather", control, set(1U << 31U))},
        {"TRC-ARGUMENT", "zeros with a source", word_by("gather", kZeros + pl330::kZerosControlWord, set(1U))},
        {"TRC-ARGUMENT", "zeros off their burst", word_by("gather", kZeros + 1U, add(8U))},
        {"TRC-ARGUMENT", "a constant off its beat", word_by("spread", kFill + 1U, add(4U))},
    };
}

std::vector<Mutant> memory_mutants() {
    const std::uint32_t loops = kCopy + pl330::kCopyLoopsWord;
    return {
        {"TRC-BOUNDS", "a source in no region", word("gather", kCopy + 1U, kHole)},
        {"TRC-BOUNDS", "a destination in no region", word("gather", kCopy + 3U, kHole)},
        {"TRC-BOUNDS", "zeros in no region", word("gather", kZeros + 1U, kHole)},
        {"TRC-BOUNDS", "a constant in no region", word("spread", kFill + 1U, kHole)},
        {"TRC-BOUNDS", "zeros beyond the end of on-chip memory",
         word("gather", kZeros + pl330::kZerosLoopsWord, pl330::kLoops | 0xFF00'0300U)},
        {"TRC-PERMISSION", "a trace that reads traces", word("gather", kCopy + 1U, kTraceRegion)},
        {"TRC-PERMISSION", "a trace that writes traces", word("gather", kCopy + 3U, kTraceRegion)},
        {"TRC-PERMISSION", "zeros over traces", word("gather", kZeros + 1U, kTraceRegion)},
        {"TRC-PERMISSION", "zeros over a constant",
         [](Lowered& lowered) {
             std::uint32_t base = 0U;
             for (const capture::ManifestRegion& region : lowered.manifest.regions) {
                 base = (region.kind == RegionKind::kWeights) ? region.base : base;
             }
             edit_words(lowered, "gather", [=](Words& words) {
                 words.at(kZeros + 1U) = base;
                 words.at(kZeros + pl330::kZerosControlWord) = pl330::zeros_control(6U);
                 words.at(kZeros + pl330::kZerosLoopsWord) = pl330::kLoops;
             });
         }},
        {"TRC-UNWRITTEN", "the second half is never made zero",
         [](Lowered& lowered) {
             edit_words(lowered, "gather",
                        [](Words& words) { words.erase(words.begin() + kZeros, words.begin() + kEndWord); });
             capture::ManifestTrace& trace = trace_named(lowered, "gather");
             trace.command_count -= 1U;
             trace.programs.front().command_count -= 1U;
         }},
        {"TRC-UNWRITTEN", "one burst less is gathered",
         word_by("gather", loops, [](std::uint32_t value) { return value - (1U << pl330::kInnerShift); })},
        {"TRC-UNWRITTEN", "zeros that stop one burst early",
         word_by("gather", kZeros + pl330::kZerosLoopsWord,
                 [](std::uint32_t value) { return value - (1U << pl330::kInnerShift); })},
        {"TRC-UNWRITTEN", "a constant that set-up does not write",
         of_script(ScriptKind::kSetup, [](auto& commands) { commands.erase(commands.begin()); })},
        {"TRC-UNWRITTEN", "what another queue gathers, read before it is there",
         of_script(ScriptKind::kStep,
                   [](auto& commands) {
                       const auto replay = std::find_if(commands.begin(), commands.end(), [](const auto& command) {
                           return command.kind == ScriptCommandKind::kReplayTrace;
                       });
                       const auto later = std::find_if(replay + 1, commands.end(), [](const auto& command) {
                           return (command.kind == ScriptCommandKind::kReplayTrace) && (command.queue == 0U);
                       });
                       std::swap(replay->object, later->object);
                   })},
    };
}

std::vector<Mutant> trace_mutants() {
    return {
        {"TRC-END", "no end", word("gather", kEndWord, pl330::kBarrier)},
        {"TRC-END", "an end in the middle", inserted(pl330::kEnd)},
        {"TRC-COMMAND", "an end whose DMANOPs are something else", word("gather", kEndWord, 0x1818'0000U)},
        {"TRC-COUNT", "a command too many", of_trace([](auto& trace) { trace.command_count += 1U; })},
        {"TRC-COST", "a cost that the engine does not publish", of_trace([](auto& trace) { trace.cost_cycles = 1U; })},
        {"TRC-PROGRAMS", "a program that is too long",
         of_trace([](auto& trace) { trace.programs.front().command_count += 1U; })},
        {"TRC-SEGMENT", "a trace in another's place", of_trace([](auto& trace) { trace.offset_bytes += 64U; })},
        {"TRC-SEGMENT", "a trace longer than its segment", of_trace([](auto& trace) { trace.word_count = 1U << 20U; })},
        {"TRC-REGION", "traces larger than the trace region",
         [](Lowered& lowered) {
             constexpr std::uint32_t kMore = 16'384U;
             edit_words(lowered, "gather", [](Words& words) { words.insert(words.begin(), kMore, pl330::kBarrier); });
             capture::ManifestTrace& trace = trace_named(lowered, "gather");
             trace.command_count += kMore;
             trace.programs.front().command_count += kMore;
         }},
    };
}

std::vector<Mutant> order_mutants() {
    std::vector<Mutant> mutants;
    for (std::uint32_t event = 0U; event < 3U; ++event) {
        mutants.push_back({"ORD-RACE", "an event that is gone, record and wait", without_pair(event)});
        mutants.push_back(
            {"ORD-EVENT-NEVER", "a record that is gone", without(ScriptCommandKind::kRecordEvent, event)});
        mutants.push_back({"ORD-EVENT-UNUSED", "a wait that is gone", without(ScriptCommandKind::kWaitEvent, event)});
    }
    const std::vector<Mutant> more{
        {"ORD-EVENT-QUEUE", "a record on the queue that waits",
         of_script(ScriptKind::kStep,
                   [](auto& commands) { find(commands, ScriptCommandKind::kRecordEvent, kGatheredEvent).queue = 1U; })},
        {"ORD-RACE", "a wait after what it should hold back",
         of_script(ScriptKind::kStep,
                   [](auto& commands) {
                       for (std::size_t i = 0U; (i + 1U) < commands.size(); ++i) {
                           if ((commands[i].kind == ScriptCommandKind::kWaitEvent) &&
                               (commands[i].object == kGatheredEvent)) {
                               std::swap(commands[i], commands[i + 1U]);
                               break;
                           }
                       }
                   })},
        {"ORD-RACE", "a trace on the other queue",
         of_script(ScriptKind::kStep,
                   [](auto& commands) {
                       for (capture::ManifestCommand& command : commands) {
                           if ((command.kind == ScriptCommandKind::kReplayTrace) && (command.queue == 0U)) {
                               command.queue = 1U;
                               return;
                           }
                       }
                   })},
    };
    mutants.insert(mutants.end(), more.begin(), more.end());
    return mutants;
}

std::vector<Mutant> manifest_mutants() {
    const auto target = [](const std::function<void(capture::ManifestTarget&)>& change) {
        return of_manifest([=](capture::Manifest& manifest) { change(manifest.target); });
    };
    return {
        {"TGT-FAMILY", "another family", target([](auto& to) { to.device_family = "pl080"; })},
        {"TGT-COMMAND-SET", "another command set", target([](auto& to) { to.command_set_id += 1U; })},
        {"TGT-COMMAND-SET", "a later version", target([](auto& to) { to.command_set_version += 1U; })},
        {"TGT-KERNEL-LIBRARY", "a kernel library", target([](auto& to) { to.kernel_library[0] = 1U; })},
        {"TGT-MEMORY", "another memory", target([](auto& to) { to.dram_base += 0x10'0000U; })},
        {"TGT-TRACE-REGION", "another trace region", target([](auto& to) { to.trace_region_bytes += 64U; })},
        {"TGT-CLOCK", "another clock", target([](auto& to) { to.clock_khz += 1U; })},
        {"TGT-QUEUES", "one thread", target([](auto& to) { to.queue_count = 1U; })},
        {"TGT-GRID", "compute cores", target([](auto& to) { to.grid_rows = 2U; })},
        {"TGT-ATTESTATION", "an engine that attests what it does",
         target([](auto& to) { to.attestation = Attestation::kCount; })},
        {"TGT-COSTS", "an engine that publishes costs", target([](auto& to) { to.costs = CostKind::kUpperBound; })},
        {"TGT-WEIGHTS-LAYOUT", "weights in another layout", target([](auto& to) { to.weights_layout += 1U; })},
        {"TGT-PROFILE", "a larger runtime", target([](auto& to) { to.profile = CapacityProfile::kHost; })},
        {"SCR-QUEUE", "a third thread",
         of_script(ScriptKind::kStep, [](auto& commands) { commands.front().queue = 2U; })},
        {"SCR-TRACE-ONCE", "a trace that is not loaded",
         of_script(ScriptKind::kSetup, [](auto& commands) { commands.pop_back(); })},
        {"SCR-OUTPUT-ONCE", "an output that is not read", without(ScriptCommandKind::kReadOutput, 0U)},
        {"SCR-INPUT-ONCE", "an input that is not written", without(ScriptCommandKind::kWriteInput, 0U)},
        {"BUD-DEADLINE", "a step without a deadline",
         of_manifest([](auto& manifest) { manifest.step_deadline_us = 0U; })},
        {"BUD-CYCLES", "a length that the engine does not publish",
         of_manifest([](auto& manifest) { manifest.step_cycles = 1U; })},
    };
}

std::vector<Mutant> all_mutants() {
    std::vector<Mutant> all;
    for (const auto& some : {command_mutants(), argument_mutants(), memory_mutants(), trace_mutants(), order_mutants(),
                             manifest_mutants()}) {
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

std::string rule_of(const std::vector<std::uint8_t>& bytes) {
    const files::AlignedBytes file{bytes};
    DeviceDescription device;
    pl330::describe(board::kEngineSpec, device);
    const pl330::Pl330CommandSet command_set;
    capture::Verification proofs;
    const Status status = proofs.verify(file.view(), device, command_set, kDevelopmentTrust);
    return is_ok(status) ? "accepted" : rule_id(proofs.verdict.rule);
}

TEST(Pl330Mutants, EachIsRefusedByItsRule) {
    const Lowered whole = exchange();
    ASSERT_EQ(rule_of(whole.file()), "accepted");
    std::map<std::string, std::uint32_t> by_rule;
    std::set<std::vector<std::uint8_t>> files;
    for (const Mutant& mutant : all_mutants()) {
        SCOPED_TRACE(std::string{mutant.rule} + ": " + mutant.what);
        Lowered changed = whole;
        mutant.edit(changed);
        const std::vector<std::uint8_t> file = changed.file();
        EXPECT_NE(file, whole.file());
        EXPECT_TRUE(files.insert(file).second) << "made twice";
        EXPECT_EQ(rule_of(file), mutant.rule);
        by_rule[mutant.rule] += 1U;
    }
    EXPECT_GE(files.size(), 60U);
    std::cout << files.size() << " mutants, " << by_rule.size() << " rules:";
    for (const auto& [rule, count] : by_rule) {
        std::cout << ' ' << rule << ' ' << count;
    }
    std::cout << '\n';
}

// Bits of the whole file, the digest left as it was.
TEST(Pl330Mutants, NoFlipIsAccepted) {
    const std::vector<std::uint8_t> whole = exchange().file();
    for (std::size_t bit = 0U; bit < (whole.size() * 8U); bit += 977U) {
        std::vector<std::uint8_t> file = whole;
        file[bit / 8U] ^= static_cast<std::uint8_t>(1U << (bit % 8U));
        EXPECT_NE(rule_of(file), "accepted") << bit;
    }
}

}  // namespace
}  // namespace pianola::test
