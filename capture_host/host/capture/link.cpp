#include "capture_host/host/capture/link.h"

#include <fmt/format.h>

#include <algorithm>

#include "capture_host/binary/openssl_digest.h"
#include "capture_host/binary/trace_walk.h"
#include "capture_host/capture/assembly.h"
#include "capture_host/capture/link.h"
#include "capture_host/host/device/allocator.h"

namespace pianola::host {
namespace {

struct CaptureMemory {
    RangeSet used;                             // device addresses
    std::vector<AddressRange> setup;           // written once
    std::vector<std::uint8_t> setup_contents;  // concatenated
};

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
                    written.add(addresses_of(*declarations_.inputs.at(item.object).buffer));
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
    void read(std::uint64_t begin, std::uint64_t end) {
        all_reads.add(begin, end);
        for (const ByteRange& range : written.missing(begin, end)) {
            needed.add(range.begin, range.end);
        }
    }

    void replay(const std::vector<std::uint32_t>& words) {
        // The runtime's message about an invalid command is better.
        (void)targets::for_each_access(command_set_, words,
                                       [this](Access access, std::uint64_t begin, std::uint64_t end) {
                                           (access == Access::kRead) ? read(begin, end) : written.add(begin, end);
                                       });
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
        later.add(addresses_of(*write->buffer));
    }
    std::sort(chosen.begin(), chosen.end(),
              [](const SetupRun& left, const SetupRun& right) { return left.range.address < right.range.address; });
    return chosen;
}

// Throws API-CAPTURE-CONTENT if bytes are read that nothing writes, or if the set-up's bytes are overwritten later.
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

void check_limit(const char* what, std::uint64_t count, std::uint64_t limit, const char* advice) {
    if (count > limit) {
        throw HostError{HostRule::kCaptureLimit,
                        fmt::format("{} {} are needed, {} fit; {}", count, what, limit, advice)};
    }
}

class Linker {
  public:
    Linker(const Target& target, const DeviceDescription& spec, const Scripts& scripts,
           const Declarations& declarations, const CaptureOptions& options, const RangeSet& others)
        : commands_of_{target.command_set()},
          spec_{spec},
          scripts_{scripts},
          declarations_{declarations},
          options_{options},
          memory_{capture_memory(target.command_set(), scripts, declarations)} {
        memory_.used.add(others);
    }

    capture::LinkedBinary link(std::uint32_t steps_in_flight) {
        check_limit("steps in flight", steps_in_flight, spec_.capacities->steps_in_flight,
                    "ask for fewer, or open a device of a larger profile");
        capture::Manifest& manifest = linked_.manifest;
        manifest.target = capture::make_target(spec_);
        add_traces();
        add_parameters();
        add_regions();
        add_setup_buffers();
        manifest.inputs = tensors(declarations_.inputs, "input", kMaxInputs);
        manifest.outputs = tensors(declarations_.outputs, "output", kMaxOutputs);
        manifest.steps_in_flight = steps_in_flight;
        add_scripts();
        const std::vector<std::uint8_t>& traces = linked_.segments.traces;
        capture::set_provenance(options_.source_name, "host program",
                                signing::openssl_sha256({traces.data(), traces.size()}), manifest);
        linked_.segments.weights = memory_.setup_contents;
        return std::move(linked_);
    }

  private:
    void add_traces() {
        check_limit("traces", scripts_.traces.size(), kMaxTraces,
                    "capture more of the program into one trace, or leave fewer calls between programs");
        const std::vector<std::uint8_t>& segment = linked_.segments.traces;
        for (const ScriptTrace& trace : scripts_.traces) {
            std::vector<capture::ManifestProgram> programs;
            for (const TraceProgramInfo& program : trace.programs) {
                programs.push_back({capture::manifest_name(program.name, "program"), program.command_count});
            }
            try {
                capture::add_trace(capture::manifest_name(trace.name, "trace"), trace.words, programs, commands_of_,
                                   linked_.manifest, linked_.segments);
            } catch (const capture::LinkError& error) {
                throw HostError{HostRule::kCaptureRefused, error.what()};
            }
        }
        if (segment.size() > spec_.trace_region_bytes) {
            throw HostError{
                HostRule::kTraceRegion,
                fmt::format("the workload's traces take {} bytes, the trace region has {}; open the device with "
                            "trace_region_size {} or more",
                            segment.size(), spec_.trace_region_bytes, align_up(segment.size(), kRegionAlignment))};
        }
    }

    void add_parameters() {
        std::size_t points = 0U;
        for (const DeclaredParameter& declared : declarations_.parameters) {
            const TraceParameter& parameter = declared.parameter;
            const bool is_address = parameter.kind == TraceParameterKind::kBufferAddress;
            capture::ManifestParameter entry;
            entry.name = capture::manifest_name(parameter.name, "parameter");
            entry.kind = is_address ? ParameterKind::kBufferAddress : ParameterKind::kRuntimeArgument;
            entry.minimum = parameter.minimum;
            entry.maximum = parameter.maximum;
            entry.alignment = parameter.alignment;
            for (std::uint32_t i = 0U; i < scripts_.traces.size(); ++i) {
                if (scripts_.traces[i].source == declared.trace) {
                    for (const std::uint32_t word : parameter.words) {
                        entry.points.push_back({i, word});
                        use_all_values(scripts_.traces[i].words, word, parameter);
                    }
                }
            }
            if (entry.points.empty()) {
                throw HostError{HostRule::kTraceParameter,
                                fmt::format("parameter '{}' is of trace {}, which no script executes", parameter.name,
                                            declared.trace.value)};
            }
            points += entry.points.size();
            linked_.manifest.parameters.push_back(entry);
        }
        check_limit("words that parameters set", points, spec_.capacities->patch_points,
                    "declare fewer, or use them in fewer places");
        check_limit("parameters", linked_.manifest.parameters.size(), kMaxParameters, "declare fewer");
    }

    // All memory that an address can reach must be in the regions.
    void use_all_values(const std::vector<std::uint32_t>& words, std::uint32_t word, const TraceParameter& parameter) {
        if (parameter.kind != TraceParameterKind::kBufferAddress) {
            return;
        }
        for (const std::uint32_t value : {parameter.minimum, parameter.maximum}) {
            std::vector<std::uint32_t> changed = words;
            changed.at(word) = value;
            (void)targets::for_each_access(
                commands_of_, changed,
                [this](Access /*access*/, std::uint64_t begin, std::uint64_t end) { memory_.used.add(begin, end); });
        }
    }

    void add_regions() {
        struct MemoryPart {
            const char* name;
            MemoryKind kind;
            std::uint64_t base;
            std::uint64_t bytes;
        };
        for (const MemoryPart& part :
             {MemoryPart{"dram", MemoryKind::kDram, spec_.dram_base, spec_.dram_bytes - spec_.trace_region_bytes},
              MemoryPart{"l1", MemoryKind::kL1, spec_.l1_base, spec_.l1_bytes}}) {
            std::uint64_t begin = UINT64_MAX;
            std::uint64_t end = 0U;
            // Joins ranges that touch, also across memories.
            RangeSet here;
            here.add(part.base, part.base + part.bytes);
            const RangeSet used = memory_.used.common(here);
            for (const ByteRange& range : used.ranges()) {
                begin = std::min(begin, (range.begin / kRegionAlignment) * kRegionAlignment);
                end = std::max(end, range.end);
            }
            if (begin < end) {
                linked_.manifest.regions.push_back({part.name, RegionKind::kShared, part.kind,
                                                    static_cast<std::uint32_t>(begin),
                                                    static_cast<std::uint32_t>(end - begin)});
            }
        }
        linked_.manifest.regions.push_back(capture::trace_region(spec_));
    }

    std::uint32_t add_buffer(const std::string& name, const AddressRange& run) {
        std::vector<capture::ManifestBuffer>& buffers = linked_.manifest.buffers;
        std::uint32_t i = 0U;
        while ((run.address < linked_.manifest.regions.at(i).base) ||
               ((run.address - linked_.manifest.regions.at(i).base) >= linked_.manifest.regions.at(i).size_bytes)) {
            i += 1U;  // ends: every used byte is in a region
        }
        const std::uint32_t offset = run.address - linked_.manifest.regions.at(i).base;
        buffers.push_back({capture::manifest_name(name, "buffer"), i, offset, run.bytes});
        check_limit("buffers", buffers.size(), kMaxBuffers, "use fewer, or larger ones");
        return static_cast<std::uint32_t>(buffers.size() - 1U);
    }

    void add_setup_buffers() {
        for (std::size_t i = 0U; i < memory_.setup.size(); ++i) {
            (void)add_buffer(fmt::format("constants {}", i), memory_.setup[i]);
        }
    }

    std::vector<capture::ManifestTensor> tensors(const std::vector<DeclaredTensor>& declared, const char* what,
                                                 std::uint32_t limit) {
        check_limit(fmt::format("{}s", what).c_str(), declared.size(), limit, "gather several tensors in one buffer");
        std::vector<capture::ManifestTensor> made;
        for (const DeclaredTensor& tensor : declared) {
            const std::vector<AddressRange>& runs = tensor.buffer->host_runs;
            check_limit(
                fmt::format("transfers for {} '{}'", what, tensor.declaration.name).c_str(), runs.size(),
                kMaxTensorBuffers,
                "use an interleaved DRAM buffer, or a height-sharded one, and let a program on the device reshard it");
            capture::ManifestTensor entry;
            entry.name = capture::manifest_name(tensor.declaration.name, what);
            entry.type = tensor.declaration.type;
            entry.shape = tensor.declaration.shape;
            entry.scale = tensor.declaration.scale;
            entry.zero_point = tensor.declaration.zero_point;
            entry.buffer_count = static_cast<std::uint32_t>(runs.size());
            for (std::size_t i = 0U; i < runs.size(); ++i) {
                const std::string name = (runs.size() == 1U) ? entry.name : fmt::format("{} {}", entry.name, i);
                const std::uint32_t index = add_buffer(name, runs[i]);
                entry.buffer = (i == 0U) ? index : entry.buffer;
            }
            made.push_back(entry);
        }
        return made;
    }

    void add_setup() {
        capture::ManifestScript setup{ScriptKind::kSetup, {}};
        std::uint32_t offset = 0U;
        for (std::uint32_t i = 0U; i < memory_.setup.size(); ++i) {
            setup.commands.push_back({ScriptCommandKind::kWriteBuffer, 0U, i, offset});
            offset += memory_.setup[i].bytes;
        }
        capture::load_traces(linked_.manifest, setup);
        check_limit("transfers of the set-up", setup.commands.size(), spec_.capacities->script_commands,
                    "put constants into fewer buffers, or allocate them one after the other");
        linked_.manifest.scripts.push_back(setup);
    }

    void add_scripts() {
        add_setup();
        std::uint64_t commands = 0U;
        for (const capture::ManifestScript& script : scripts_.scripts) {
            for (const ScriptItem& item : script.commands) {
                commands += capture::transfers_of(linked_.manifest, item).size();
            }
            linked_.manifest.scripts.push_back(script);
        }
        check_limit(
            "queue commands of prologue, step and epilogue", commands, spec_.capacities->script_commands,
            "use interleaved DRAM buffers for inputs and outputs and reshard them on the device, and gather programs "
            "in traces");
        try {
            capture::set_budgets(commands_of_, options_.step_deadline_us, options_.setup_deadline_us, linked_.manifest);
        } catch (const capture::LinkError& error) {
            throw HostError{HostRule::kCaptureLimit, error.what()};
        }
    }

    const CommandSet& commands_of_;  // the device
    const DeviceDescription& spec_;
    const Scripts& scripts_;
    const Declarations& declarations_;
    const CaptureOptions& options_;
    CaptureMemory memory_;
    capture::LinkedBinary linked_;
};

}  // namespace

capture::LinkedBinary link_capture(const Target& target, const DeviceDescription& spec, const Scripts& scripts,
                                   const Declarations& declarations, const CaptureOptions& options,
                                   std::uint32_t steps_in_flight, const RangeSet& others) {
    return Linker{target, spec, scripts, declarations, options, others}.link(steps_in_flight);
}

RangeSet used_bytes(const CommandSet& command_set, const Scripts& scripts, const Declarations& declarations) {
    return capture_memory(command_set, scripts, declarations).used;
}

}  // namespace pianola::host
