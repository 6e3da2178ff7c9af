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

    // Memory behind all that the workload uses.
    [[nodiscard]] std::shared_ptr<const CapturedBuffer> memory_for(const DeclaredTensor& tensor) {
        std::uint64_t bytes = 0U;
        for (const AddressRange& run : tensor.buffer->runs) {
            bytes += run.bytes;
        }
        const std::uint64_t begin = ((next_ + (kAlignment - 1U)) / kAlignment) * kAlignment;
        next_ = begin + bytes;
        if (next_ > end_) {
            throw HostError{
                HostRule::kCaptureLimit,
                fmt::format("'{}' lies where another tensor of the same step does, and the device's DRAM has no {} "
                            "bytes left behind the workload to keep them apart; open the device with more DRAM, or use "
                            "a buffer of its own for each",
                            tensor.declaration.name, bytes)};
        }
        auto made = std::make_shared<CapturedBuffer>(*tensor.buffer);
        made->runs = {{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(bytes)}};
        made->host_runs = made->runs;
        return made;
    }

    // Between the tensor's place and its own memory, in the host's order.
    [[nodiscard]] Call copy(const Call& call, const CapturedBuffer& own) const {
        Assembled program;
        program.name = (call.kind == CallKind::kWrite) ? "take input" : "keep output";
        std::uint32_t address = own.runs.front().address;
        for (const AddressRange& run : call.buffer->host_runs) {
            SampleOperands operands;
            operands.destination = (call.kind == CallKind::kWrite) ? run.address : address;
            operands.source = (call.kind == CallKind::kWrite) ? address : run.address;
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

    void stage(CallKind kind, std::vector<DeclaredTensor>& tensors) {
        const std::vector<bool> shares = sharing(tensors);
        std::vector<std::shared_ptr<const CapturedBuffer>> own(tensors.size());
        for (std::size_t i = 0U; i < tensors.size(); ++i) {
            if (shares[i]) {
                own[i] = memory_for(tensors[i]);
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
                const Call program = copy(call, *own[*tensor]);
                call.buffer = own[*tensor];
                calls.push_back((kind == CallKind::kWrite) ? std::move(call) : program);
                calls.push_back((kind == CallKind::kWrite) ? program : std::move(call));
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
