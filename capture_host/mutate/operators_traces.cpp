// Commands of traces, and their declared counts and costs.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "capture_host/mutate/file_bytes.h"
#include "capture_host/mutate/operators.h"

namespace pianola::mutate {
namespace {

using capture::ManifestTrace;

constexpr std::uint32_t kHalf = 128U;  // of the scratch region
constexpr std::uint32_t kPiece = 64U;
constexpr std::uint32_t kSome = 16U;  // bytes

ManifestTrace& main_entry(Draft& draft) {
    return draft.manifest().traces.at(draft.main_trace());
}

// Adds barriers before the end until the traces are one word longer than the trace region.
void overfill_region(Draft& draft) {
    const std::uint32_t trace = draft.main_trace();
    const Words words = draft.trace_words(trace);
    const std::size_t others = draft.segments().traces.size() - (words.size() * kWordBytes);
    const std::size_t wanted =
        ((draft.device().trace_region_bytes - std::min<std::size_t>(others, draft.device().trace_region_bytes)) /
         kWordBytes) +
        kSome;
    if (wanted > kMaxTraceWords) {
        throw NotApplicable{"the trace region is longer than the longest trace"};
    }
    Words barriers;
    for (std::size_t i = words.size(); i < wanted; ++i) {
        append(barriers, draft.barrier());
    }
    static_cast<void>(draft.append_commands(barriers));
    draft.settle();
}

// The first trace that does not end at the start of the next one; the number of traces if there is none.
std::size_t find_gap(const capture::Manifest& manifest) {
    const auto& traces = manifest.traces;
    std::size_t i = 0U;
    while (((i + 1U) < traces.size()) &&
           ((traces[i].offset_bytes + (traces[i].word_count * kWordBytes)) >= traces[i + 1U].offset_bytes)) {
        i += 1U;
    }
    return ((i + 1U) < traces.size()) ? i : traces.size();
}

void damage_gap(Draft& draft) {
    const auto& traces = draft.manifest().traces;
    std::size_t gap = find_gap(draft.manifest());
    if (gap == traces.size()) {
        static_cast<void>(draft.add_trace("second", draft.end()));
        draft.confirm("a trace that does nothing");
        gap = find_gap(draft.manifest());
    }
    if (gap == traces.size()) {
        throw NotApplicable{"every trace ends where the next one starts"};
    }
    draft.segments().traces.at(traces[gap].offset_bytes + (traces[gap].word_count * kWordBytes)) = 1U;
    draft.expect_path(fmt::format("traces[{}].offset_bytes", gap + 1U));
}

// The field of the first command that the device refuses; empty if it refuses none.
std::string refused_field(const Draft& draft, const Words& words) {
    const targets::WalkEnd end =
        targets::for_each_command(draft.command_set(), words, [](std::uint32_t, const auto&) {});
    return end.is_whole() ? "" : end.refused;
}

// The last field that names an extent with that access.
std::string extent_field(const Draft& draft, const Words& words, Access access) {
    std::string field;
    static_cast<void>(targets::for_each_command(draft.command_set(), words,
                                                [&](std::uint32_t /*word*/, const DecodedCommand& command) {
                                                    for (const Extent& extent : command.extents.view()) {
                                                        field = (extent.access == access) ? extent.field : field;
                                                    }
                                                }));
    return field;
}

// An address that no region holds.
std::uint32_t unmapped_address(Draft& draft) {
    constexpr std::array<std::uint32_t, 4> kCandidates{0x40U, 0x2000'0000U, 0x7000'0000U, 0xF000'0000U};
    for (const std::uint32_t address : kCandidates) {
        const auto& regions = draft.manifest().regions;
        if (std::none_of(regions.begin(), regions.end(), [address](const capture::ManifestRegion& region) {
                return (address >= region.base) && ((address - region.base) < region.size_bytes);
            })) {
            return address;
        }
    }
    throw NotApplicable{"regions are everywhere"};
}

// Adds a command that the device refuses before the main trace's end.
void add_refused(Draft& draft, const Words& words, std::uint64_t cycles = 0U) {
    static_cast<void>(draft.append_raw(words, 1U, cycles));
    draft.settle();
    draft.expect_path("added[0]." + refused_field(draft, words));
}

// Other bits in the first word of the main trace.
void change_first_word(Draft& draft, Sample how) {
    Words words = draft.trace_words(draft.main_trace());
    words.front() = draft.sample(how, {0U, 0U, 0U, words.front(), 0U}).front();
    draft.set_word(0U, words.front());
    draft.expect_path(fmt::format("traces[{}].commands[0].{}", draft.main_trace(), refused_field(draft, words)));
}

// Other commands in the place of added ones.
void set_words(Draft& draft, std::uint32_t place, const Words& words) {
    for (std::uint32_t i = 0U; i < words.size(); ++i) {
        draft.set_word(place + i, words[i]);
    }
}

void state_wrong_cost(Draft& draft) {
    const std::uint32_t scratch = draft.add_scratch(kScratchBytes);
    const SampleOperands copy{scratch + kPiece, scratch, kPiece, 0U, 0U};
    static_cast<void>(draft.append_commands(draft.fill(scratch, kPiece, 0U)));
    const std::uint32_t word = draft.append_commands(draft.sample(Sample::kCopyLaunch, copy));
    draft.confirm("a launch on memory of its own");
    const Words wrong = draft.sample(Sample::kWrongCost, copy);
    set_words(draft, word, wrong);
    draft.expect_path("added[1]." + refused_field(draft, wrong));
}

// A command at the end of the main trace that fills one byte.
void fill_byte(Draft& draft, std::uint32_t address) {
    const Words words = draft.fill(address, 1U, 0U);
    static_cast<void>(draft.append_commands(words));
    draft.settle();
    draft.expect_path("added[0]." + extent_field(draft, words, Access::kWrite));
}

void fill_weights(Draft& draft) {
    const auto& setup = draft.commands(ScriptKind::kSetup);
    const std::uint32_t command = draft.find_command(ScriptKind::kSetup, ScriptCommandKind::kWriteBuffer);
    if (command == setup.size()) {
        throw NotApplicable{"the set-up writes no weights"};
    }
    const capture::ManifestBuffer& buffer = draft.manifest().buffers.at(setup[command].object);
    fill_byte(draft, draft.manifest().regions.at(buffer.region).base + buffer.offset_bytes);
}

// A fill, and a copy of so many of its bytes, which then reads from elsewhere.
void move_copy(Draft& draft, std::uint32_t to, std::uint32_t size_bytes, std::uint32_t from) {
    const std::uint32_t scratch = draft.add_scratch(kScratchBytes);
    Words words = draft.fill(scratch, kPiece, 0U);
    const auto copy = static_cast<std::uint32_t>(words.size());
    append(words, draft.copy(scratch + to, scratch, size_bytes));
    const std::uint32_t place = draft.append_commands(words);
    draft.confirm("a fill and a copy on memory of their own");
    const Words moved = draft.copy(scratch + to, scratch + from, size_bytes);
    set_words(draft, place + copy, moved);
    draft.expect_path("added[1]." + extent_field(draft, moved, Access::kRead));
}

void race_of_cores(Draft& draft) {
    if ((draft.device().grid_columns * draft.device().grid_rows) < 2U) {
        throw NotApplicable{"the device has one core"};
    }
    const std::uint32_t scratch = draft.add_scratch(kScratchBytes);
    const auto dispatch_on = [&](std::uint32_t core) {
        return draft.sample(Sample::kCopyDispatch, {scratch + kPiece, scratch, kPiece, 0U, core});
    };
    Words words = draft.fill(scratch, kPiece, 0U);
    append(words, dispatch_on(0U));
    const auto barrier = static_cast<std::uint32_t>(words.size());
    append(words, draft.barrier());
    append(words, dispatch_on(1U));
    append(words, draft.barrier());
    const std::uint32_t place = draft.append_commands(words);
    draft.confirm("two dispatches on memory of their own, with a barrier between them");
    const std::uint32_t trace = draft.main_trace();
    Words all = draft.trace_words(trace);
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(place) + static_cast<std::ptrdiff_t>(barrier),
              all.begin() + static_cast<std::ptrdiff_t>(place) + static_cast<std::ptrdiff_t>(barrier) +
                  static_cast<std::ptrdiff_t>(draft.barrier().size()));
    draft.set_trace_words(trace, all);
    draft.measure_main();
    draft.settle();
    draft.expect_path("added[2]." + extent_field(draft, dispatch_on(1U), Access::kWrite));
}

constexpr std::array kTraceOperators{
    Operator{Rule::kTrcSegment, "word-behind", "a word behind the last trace", true,
             [](Draft& draft) { draft.segments().traces.resize(draft.segments().traces.size() + kWordBytes); },
             "traces"},
    Operator{Rule::kTrcSegment, "no-words", "a trace without words", false,
             [](Draft& draft) { main_entry(draft).word_count = 0U; }, "traces[main].word_count"},
    Operator{Rule::kTrcSegment, "elsewhere", "a trace that starts a block too late", false,
             [](Draft& draft) { main_entry(draft).offset_bytes += kFileAlignmentBytes; }, "traces[main].offset_bytes"},
    Operator{Rule::kTrcSegment, "gap", "a byte between two traces", false, damage_gap},
    Operator{Rule::kTrcRegion, "too-long", "barriers, until the traces are longer than the trace region", true,
             overfill_region, "traces"},
    Operator{Rule::kTrcEnd, "missing", "a barrier instead of the end", true,
             [](Draft& draft) {
                 const Words words = draft.trace_words(draft.main_trace());
                 draft.set_word(static_cast<std::uint32_t>(words.size() - 1U), draft.barrier().front());
             },
             "traces[main].word_count"},
    Operator{Rule::kTrcEnd, "twice", "another end behind the end", true,
             [](Draft& draft) {
                 const std::uint32_t trace = draft.main_trace();
                 Words words = draft.trace_words(trace);
                 append(words, draft.end());
                 draft.set_trace_words(trace, words);
             },
             "traces[main].word_count"},
    // A trace's declarations about its commands.
    Operator{Rule::kTrcCount, "one-more", "a command more than there are", true,
             [](Draft& draft) { main_entry(draft).command_count += 1U; }, "traces[main].command_count"},
    Operator{Rule::kTrcCost, "one-less", "a cycle less than the commands cost", true,
             [](Draft& draft) {
                 main_entry(draft).cost_cycles -= 1U;
                 draft.settle();
             },
             "traces[main].cost_cycles"},
    Operator{Rule::kTrcCost, "one-more", "a cycle more than the commands cost", true,
             [](Draft& draft) {
                 main_entry(draft).cost_cycles += 1U;
                 draft.settle();
             },
             "traces[main].cost_cycles"},
    Operator{Rule::kTrcPrograms, "one-more", "programs of one command more than there are", true,
             [](Draft& draft) { main_entry(draft).programs.push_back({"added", 1U}); }, "traces[main].programs"},
    Operator{Rule::kTrcPrograms, "empty", "a program without commands", true,
             [](Draft& draft) {
                 auto& programs = main_entry(draft).programs;
                 programs.push_back({"added", 0U});
                 draft.expect_path(
                     fmt::format("traces[{}].programs[{}].command_count", draft.main_trace(), programs.size() - 1U));
             }},
    Operator{Rule::kTrcCommand, "opcode", "an opcode that no command has", true,
             [](Draft& draft) { add_refused(draft, draft.sample(Sample::kUnknownCommand)); }},
    Operator{Rule::kTrcCommand, "queue-command", "a command for queues", true,
             [](Draft& draft) { add_refused(draft, draft.sample(Sample::kQueueCommand)); }},
    Operator{Rule::kTrcCommand, "reserved-bit", "a reserved bit of a header", false,
             [](Draft& draft) { change_first_word(draft, Sample::kReservedBits); }},
    Operator{Rule::kTrcCommand, "no-length", "a command of no words", false,
             [](Draft& draft) { change_first_word(draft, Sample::kNoLength); }},
    Operator{Rule::kTrcKernel, "unknown", "a launch of a kernel that the ROM does not have", false,
             [](Draft& draft) {
                 // As long as the shortest command: its cost is not defined.
                 const std::uint64_t cycles = measure_trace(draft.command_set(), draft.barrier()).cycles;
                 add_refused(draft, draft.sample(Sample::kUnknownKernel), cycles);
             }},
    Operator{Rule::kTrcKernelNamed, "dropped", "the first kernel that is launched is not named", true,
             [](Draft& draft) {
                 const std::set<std::uint32_t> launched =
                     measure_trace(draft.command_set(), draft.trace_words(draft.main_trace())).kernels;
                 if (launched.empty()) {
                     throw NotApplicable{"the file launches no kernel"};
                 }
                 auto& kernels = draft.manifest().target.kernels;
                 kernels.erase(std::remove_if(kernels.begin(), kernels.end(),
                                              [&](const capture::ManifestKernel& kernel) {
                                                  return kernel.id == *launched.begin();
                                              }),
                               kernels.end());
             }},
    Operator{Rule::kTrcArgument, "copy-of-nothing", "a copy of no bytes", true,
             [](Draft& draft) {
                 const std::uint32_t base = draft.manifest().regions.front().base;
                 add_refused(draft, draft.copy(base, base, 0U));
             }},
    Operator{Rule::kTrcArgument, "cost", "a launch that says another cost than its kernel", false, state_wrong_cost},
    Operator{Rule::kTrcBounds, "no-region", "a byte outside every region is filled", true,
             [](Draft& draft) { fill_byte(draft, unmapped_address(draft)); }},
    Operator{Rule::kTrcBounds, "end-of-address-space", "the last byte of the address space is filled", true,
             [](Draft& draft) { fill_byte(draft, UINT32_MAX); }},
    Operator{Rule::kTrcPermission, "traces", "a byte of the traces is filled", true,
             [](Draft& draft) {
                 const DeviceDescription& device = draft.device();
                 fill_byte(draft, device.dram_base + (device.dram_bytes - 1U));
             }},
    Operator{Rule::kTrcPermission, "weights", "a byte of the weights is filled", true, fill_weights},
    Operator{Rule::kTrcUnwritten, "all", "a copy reads what nothing has written", true,
             [](Draft& draft) { move_copy(draft, kPiece, kSome, kHalf); }},
    Operator{Rule::kTrcUnwritten, "one-byte", "a copy reads a byte more than was written", true,
             [](Draft& draft) { move_copy(draft, kHalf, kPiece, 1U); }},
    Operator{Rule::kTrcCoreRace, "both-write", "two cores write the same bytes, without a barrier between them", true,
             race_of_cores},
};

}  // namespace

Span<const Operator> trace_operators() {
    return kTraceOperators;
}

}  // namespace pianola::mutate
