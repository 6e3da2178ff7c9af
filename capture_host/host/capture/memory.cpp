#include "capture_host/host/capture/memory.h"

#include <fmt/format.h>

#include <algorithm>

namespace pianola::host {
namespace {

constexpr std::uint64_t kPadding = 64U;  // between allocations: these bytes belong to no buffer

// Walks the scripts in program order.
class ScriptWalk {
  public:
    ScriptWalk(const CommandSet& command_set, const Scripts& scripts, const Declarations& declarations)
        : command_set_{command_set}, scripts_{scripts}, declarations_{declarations} {}

    void script(const std::vector<ScriptItem>& items) {
        for (const ScriptItem& item : items) {
            switch (item.kind) {
                case ScriptCommandKind::kWriteInput:
                    runs(declarations_.inputs.at(item.object), written);
                    break;
                case ScriptCommandKind::kReadOutput:
                    for (const AddressRange& run : declarations_.outputs.at(item.object).buffer->runs) {
                        read(run.address, std::uint64_t{run.address} + run.bytes);
                    }
                    break;
                case ScriptCommandKind::kReplayTrace:
                    replay(scripts_.traces.at(item.object).words);
                    break;
                case ScriptCommandKind::kRecordEvent:
                case ScriptCommandKind::kWaitEvent:
                case ScriptCommandKind::kWriteBuffer:
                case ScriptCommandKind::kLoadTrace:
                case ScriptCommandKind::kUnspecified:
                default:
                    break;
            }
        }
    }

    RangeSet written;
    RangeSet needed;  // read before they were written
    RangeSet all_reads;

  private:
    static void runs(const DeclaredTensor& tensor, RangeSet& set) {
        for (const AddressRange& run : tensor.buffer->runs) {
            set.add(run.address, std::uint64_t{run.address} + run.bytes);
        }
    }

    void read(std::uint64_t begin, std::uint64_t end) {
        all_reads.add(begin, end);
        for (const ByteRange& range : written.missing(begin, end)) {
            needed.add(range.begin, range.end);
        }
    }

    void replay(const std::vector<std::uint32_t>& words) {
        const auto note = [this](std::uint32_t /*at*/, const DecodedCommand& command) {
            for (const Access access : {Access::kRead, Access::kWrite}) {
                for (const Extent& extent : command.extents.view()) {
                    const std::uint64_t end = std::uint64_t{extent.address} + extent.size_bytes;
                    if (extent.access != access) {
                        continue;
                    }
                    if (access == Access::kRead) {
                        read(extent.address, end);
                    } else {
                        written.add(extent.address, end);
                    }
                }
            }
        };
        (void)targets::for_each_command(command_set_, words,
                                        note);  // the runtime's message about an invalid one is better
    }

    const CommandSet& command_set_;
    const Scripts& scripts_;
    const Declarations& declarations_;
};

// A set-up write's bytes, run by run.
struct SetupRun {
    AddressRange range;
    std::vector<std::uint8_t> bytes;
};

std::vector<SetupRun> setup_runs(const Call& write) {
    std::vector<std::uint8_t> packed;
    for (const Piece& piece : write.buffer->pieces) {
        for (std::uint64_t row = 0U; row < piece.rows; ++row) {
            const auto first =
                write.data.begin() + static_cast<std::ptrdiff_t>(((piece.row_begin + row) * write.buffer->row_bytes) +
                                                                 piece.column_begin_bytes);
            packed.insert(packed.end(), first, first + static_cast<std::ptrdiff_t>(piece.column_bytes));
        }
    }
    std::vector<SetupRun> runs;
    auto next = packed.begin();
    for (const AddressRange& range : write.buffer->runs) {
        const auto end = next + static_cast<std::ptrdiff_t>(range.bytes);
        runs.push_back({range, {next, end}});
        next = end;
    }
    return runs;
}

// The runs without bytes that were written later.
std::vector<SetupRun> left_of(const std::vector<SetupRun>& runs, const RangeSet& later) {
    std::vector<SetupRun> left;
    for (const SetupRun& run : runs) {
        const std::uint64_t begin = run.range.address;
        for (const ByteRange& part : later.missing(begin, begin + run.range.bytes)) {
            const auto first = run.bytes.begin() + static_cast<std::ptrdiff_t>(part.begin - begin);
            const auto bytes = static_cast<std::ptrdiff_t>(part.end - part.begin);
            left.push_back(
                {{static_cast<std::uint32_t>(part.begin), static_cast<std::uint32_t>(bytes)}, {first, first + bytes}});
        }
    }
    return left;
}

std::vector<SetupRun> chosen_runs(const Scripts& scripts, const Declarations& declarations, const ScriptWalk& walk) {
    std::vector<SetupRun> chosen;
    RangeSet later;  // freed memory may have been taken and written again: the last contents count
    for (auto at = scripts.setup_writes.rbegin(); at != scripts.setup_writes.rend(); ++at) {
        const Call* const write = *at;
        const bool declared = declarations.constants.count(write->object) != 0U;
        for (SetupRun& run : left_of(setup_runs(*write), later)) {
            const std::uint64_t begin = run.range.address;
            const std::uint64_t end = begin + run.range.bytes;
            if (!walk.needed.intersects(begin, end) && !declared) {
                continue;  // a test pattern, or bytes that the workload overwrites before it reads them
            }
            if (walk.written.intersects(begin, end)) {
                throw HostError{
                    HostRule::kCaptureContent,
                    fmt::format("buffer {} at 0x{:08X} is written before the first step, and again by the workload: "
                                "what set-up writes must stay as it is; let a program in the prologue copy it to "
                                "another buffer, and change that one",
                                write->object, begin)};
            }
            chosen.push_back(std::move(run));
        }
        for (const AddressRange& run : write->buffer->runs) {
            later.add(run.address, std::uint64_t{run.address} + run.bytes);
        }
    }
    std::sort(chosen.begin(), chosen.end(),
              [](const SetupRun& left, const SetupRun& right) { return left.range.address < right.range.address; });
    return chosen;
}

}  // namespace

CaptureMemory capture_memory(const CommandSet& command_set, const Scripts& scripts, const Declarations& declarations) {
    ScriptWalk walk{command_set, scripts, declarations};
    for (const capture::ManifestScript& script : scripts.scripts) {
        walk.script(script.commands);
    }
    CaptureMemory memory;
    RangeSet brought;
    // Neighbours with only padding between them are one transfer.
    for (SetupRun& run : chosen_runs(scripts, declarations, walk)) {
        brought.add(run.range.address, std::uint64_t{run.range.address} + run.range.bytes);
        if (!memory.setup.empty()) {
            AddressRange& last = memory.setup.back();
            const std::uint64_t end = std::uint64_t{last.address} + last.bytes;
            const std::uint64_t gap = run.range.address - end;
            if ((gap < kPadding) && !walk.written.intersects(end, run.range.address)) {
                memory.setup_contents.resize(memory.setup_contents.size() + gap);
                last.bytes += static_cast<std::uint32_t>(gap) + run.range.bytes;
                memory.setup_contents.insert(memory.setup_contents.end(), run.bytes.begin(), run.bytes.end());
                continue;
            }
        }
        memory.setup.push_back(run.range);
        memory.setup_contents.insert(memory.setup_contents.end(), run.bytes.begin(), run.bytes.end());
    }
    for (const ByteRange& range : walk.needed.ranges()) {
        for (const ByteRange& gap : brought.missing(range.begin, range.end)) {
            throw HostError{
                HostRule::kCaptureContent,
                fmt::format("the workload reads {} bytes at 0x{:08X} that it has not written: write them from the "
                            "host before the first mark, or compute them in the prologue (what programs did before "
                            "the first mark is not part of the binary)",
                            gap.end - gap.begin, gap.begin)};
        }
    }
    memory.used = walk.all_reads;
    memory.used.add(walk.written);
    for (const AddressRange& run : memory.setup) {
        memory.used.add(run.address, std::uint64_t{run.address} + run.bytes);
    }
    return memory;
}

}  // namespace pianola::host
