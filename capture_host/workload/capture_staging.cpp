#include "capture_host/workload/capture_staging.h"

#include <fmt/format.h>

#include <algorithm>

#include "capture_host/workload/capture_order.h"
#include "capture_host/workload/data_flow.h"

namespace pianola::host {
namespace {

constexpr std::uint64_t kAlignment = 64U;

RangeSet addresses_of(const CapturedBuffer& buffer) {
    RangeSet set;
    for (const AddressRange& run : buffer.runs) {
        set.add(run.address, std::uint64_t{run.address} + run.bytes);
    }
    return set;
}

// Tensors without memory of their own, by index.
std::vector<bool> sharing(const std::vector<DeclaredTensor>& tensors) {
    std::vector<bool> result;
    RangeSet taken;
    for (const DeclaredTensor& tensor : tensors) {
        const RangeSet own = addresses_of(*tensor.buffer);
        result.push_back(taken.intersects(own));
        taken.add(own);
    }
    return result;
}

class Stager {
  public:
    Stager(const Reading& reading, const Target& target, const DeviceDescription& spec)
        : target_{target}, made_{reading}, end_{std::uint64_t{spec.dram_base} + spec.dram_bytes} {
        end_ -= spec.trace_region_bytes;
        RangeSet used;
        for (const Section& section : reading.sections) {
            for (const Call& call : section.calls) {
                add_used(call, used);
            }
        }
        for (const DeclaredParameter& parameter : reading.declarations.parameters) {
            used.add(reach_of(parameter, reading.sections, target.command_set()));
        }
        RangeSet dram;
        dram.add(spec.dram_base, end_);
        used = used.common(dram);
        next_ = used.empty() ? spec.dram_base : used.ranges().back().end;
    }

    Reading staged() {
        stage_state();
        stage(CallKind::kWrite, made_.declarations.inputs);
        stage(CallKind::kRead, made_.declarations.outputs);
        return std::move(made_);
    }

  private:
    void add_used(const Call& call, RangeSet& used) const {
        if (call.buffer != nullptr) {
            used.add(addresses_of(*call.buffer));
        } else if (call.trace != nullptr) {
            (void)targets::for_each_command(target_.command_set(), words_of(call),
                                            [&used](std::uint32_t /*at*/, const DecodedCommand& command) {
                                                for (const Extent& extent : command.extents.view()) {
                                                    used.add(extent.address, extent.address + hull_bytes(extent));
                                                }
                                            });
        } else {
            // Events use no memory.
        }
    }

    // Memory behind all that the workload uses, in the host's order.
    [[nodiscard]] std::shared_ptr<const CapturedBuffer> memory_for(const CapturedBuffer& buffer,
                                                                   const std::string& name) {
        std::uint64_t bytes = 0U;
        for (const AddressRange& run : buffer.runs) {
            bytes += run.bytes;
        }
        const std::uint64_t begin = ((next_ + (kAlignment - 1U)) / kAlignment) * kAlignment;
        next_ = begin + bytes;
        if (next_ > end_) {
            throw HostError{
                HostRule::kCaptureLimit,
                fmt::format("{} needs {} bytes of its own, and the device's DRAM has none left behind the workload; "
                            "open the device with more DRAM, or use a buffer for each thing that is kept",
                            name, bytes)};
        }
        auto made = std::make_shared<CapturedBuffer>(buffer);
        Piece all;
        all.rows = bytes / made->row_bytes;
        all.column_bytes = made->row_bytes;
        made->pieces = {all};
        made->runs = {{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(bytes)}};
        made->host_runs = made->runs;
        return made;
    }

    // Between where the program has it and its own memory.
    [[nodiscard]] Call copy(const Call& call, const CapturedBuffer& own) const {
        const bool is_back = call.kind == CallKind::kWrite;
        Assembled program;
        program.name = is_back ? "take" : "keep";
        std::uint32_t address = own.runs.front().address;
        for (const AddressRange& run : call.buffer->host_runs) {
            SampleOperands operands;
            operands.destination = is_back ? run.address : address;
            operands.source = is_back ? address : run.address;
            operands.size_bytes = run.bytes;
            CommandInfo info;
            info.word = static_cast<std::uint32_t>(program.words.size());
            program.commands.push_back(info);
            targets::append(program.words, target_.sample(Sample::kCopy, operands));
            address += run.bytes;
        }
        auto trace = std::make_shared<CapturedTrace>();
        trace->programs.push_back(std::move(program));
        Call made;
        made.kind = CallKind::kProgram;
        made.queue = call.queue;
        made.number = call.number;
        made.trace = std::move(trace);
        return made;
    }

    // Set-up writes the first contents elsewhere, and the prologue brings them.
    void stage_state() {
        DataFlow work{target_.command_set()};
        for (auto section = std::next(made_.sections.begin()); section != made_.sections.end(); ++section) {
            for (const Call& call : section->calls) {
                work.add(call);
            }
        }
        const RangeSet state = work.found().common(work.written());
        std::vector<Call>& front = made_.sections.front().calls;
        std::vector<Call> copies;
        for (std::size_t i = 0U; i < front.size(); ++i) {
            if ((front[i].kind == CallKind::kWrite) && is_last(front, i) &&
                addresses_of(*front[i].buffer).intersects(state)) {
                const auto own = memory_for(*front[i].buffer, front[i].text());
                copies.push_back(copy(front[i], *own));
                front[i].buffer = own;
            }
        }
        if (copies.empty()) {
            return;
        }
        if (made_.sections[1].kind != ScriptKind::kPrologue) {
            made_.sections.insert(std::next(made_.sections.begin()), Section{ScriptKind::kPrologue, {}});
        }
        std::vector<Call>& prologue = made_.sections[1].calls;
        prologue.insert(prologue.begin(), copies.begin(), copies.end());
    }

    // Nothing behind writes any of its bytes.
    [[nodiscard]] static bool is_last(const std::vector<Call>& calls, std::size_t place) {
        const RangeSet own = addresses_of(*calls[place].buffer);
        return std::none_of(calls.begin() + static_cast<std::ptrdiff_t>(place) + 1, calls.end(), [&](const Call& call) {
            return (call.kind == CallKind::kWrite) && addresses_of(*call.buffer).intersects(own);
        });
    }

    void stage(CallKind kind, std::vector<DeclaredTensor>& tensors) {
        const std::vector<bool> shares = sharing(tensors);
        std::vector<std::shared_ptr<const CapturedBuffer>> own(tensors.size());
        for (std::size_t i = 0U; i < tensors.size(); ++i) {
            if (shares[i]) {
                own[i] = memory_for(*tensors[i].buffer, fmt::format("'{}'", tensors[i].declaration.name));
            }
        }
        for (auto section = std::next(made_.sections.begin()); section != made_.sections.end(); ++section) {
            TensorCursor cursor{tensors};
            std::vector<Call> calls;
            for (Call& call : section->calls) {
                const auto tensor = (call.kind == kind) ? cursor.next(call.object) : std::nullopt;
                if (!tensor.has_value() || !shares[*tensor]) {
                    calls.push_back(std::move(call));
                    continue;
                }
                Call program = copy(call, *own[*tensor]);
                call.buffer = own[*tensor];
                if (kind == CallKind::kWrite) {
                    calls.push_back(std::move(call));
                    calls.push_back(std::move(program));
                } else {
                    calls.push_back(std::move(program));
                    calls.push_back(std::move(call));
                }
            }
            section->calls = std::move(calls);
        }
        for (std::size_t i = 0U; i < tensors.size(); ++i) {
            tensors[i].buffer = shares[i] ? own[i] : tensors[i].buffer;
        }
    }

    const Target& target_;
    Reading made_;
    std::uint64_t end_;  // of the DRAM that buffers may use
    std::uint64_t next_{0U};
};

}  // namespace

Reading with_staging(const Reading& reading, const Target& target, const DeviceDescription& spec) {
    return Stager{reading, target, spec}.staged();
}

}  // namespace pianola::host
