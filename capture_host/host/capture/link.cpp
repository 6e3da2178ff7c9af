#include "capture_host/host/capture/link.h"

#include <fmt/format.h>

#include <algorithm>

#include "capture_host/binary/trace_walk.h"
#include "capture_host/capture/assembly.h"
#include "capture_host/capture/layout.h"
#include "capture_host/capture/link.h"
#include "capture_host/host/capture/memory.h"
#include "capture_host/host/device/allocator.h"

namespace pianola::host {
namespace {

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

    LinkedCapture link(std::uint32_t steps_in_flight) {
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
        manifest.source_name = capture::manifest_name(options_.source_name, "host program");
        manifest.source_sha256 = sha256({linked_.segments.traces.data(), linked_.segments.traces.size()});
        manifest.tool_version = "pianola " PIANOLA_VERSION;
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
            const auto use = [this](std::uint32_t /*at*/, const DecodedCommand& command) {
                for (const Extent& extent : command.extents.view()) {
                    memory_.used.add(extent.address, std::uint64_t{extent.address} + extent.size_bytes);
                }
            };
            (void)targets::for_each_command(commands_of_, changed, use);
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
    LinkedCapture linked_;
};

}  // namespace

LinkedCapture link_capture(const Target& target, const DeviceDescription& spec, const Scripts& scripts,
                           const Declarations& declarations, const CaptureOptions& options,
                           std::uint32_t steps_in_flight, const RangeSet& others) {
    return Linker{target, spec, scripts, declarations, options, others}.link(steps_in_flight);
}

}  // namespace pianola::host
