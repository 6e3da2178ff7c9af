#include "capture_host/host/capture/staging.h"

#include <fmt/format.h>

#include <algorithm>

#include "capture_host/host/capture/data_flow.h"
#include "capture_host/host/capture/host_writes.h"
#include "capture_host/host/capture/order.h"

namespace pianola::host {
namespace {

constexpr std::uint64_t kAlignment = 64U;
constexpr std::uint64_t kFirstContents = 1ULL << 62U;  // in a buffer's id: above all that devices give

// Which tensors share the memory of an earlier one, by index.
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

// Memory after everything that the workload uses. The same on all devices.
class StagingMemory {
  public:
    explicit StagingMemory(const DeviceDescription& spec)
        : next_{spec.dram_base}, end_{std::uint64_t{spec.dram_base} + spec.dram_bytes - spec.trace_region_bytes} {}

    [[nodiscard]] std::uint64_t next() const noexcept { return next_; }
    void continue_at(std::uint64_t address) noexcept { next_ = address; }
    [[nodiscard]] std::uint64_t end() const noexcept { return end_; }

    // The address of the given number of bytes.
    [[nodiscard]] std::uint64_t take(std::uint64_t bytes, const std::string& name) {
        const std::uint64_t begin = ((next_ + (kAlignment - 1U)) / kAlignment) * kAlignment;
        next_ = begin + bytes;
        if (next_ > end_) {
            throw HostError{
                HostRule::kCaptureLimit,
                fmt::format("{} needs {} bytes of its own, and the device's DRAM has none left behind the workload; "
                            "open the device with more DRAM, or use a buffer for each thing that is kept",
                            name, bytes)};
        }
        return begin;
    }

  private:
    std::uint64_t next_;
    std::uint64_t end_;  // of the DRAM that buffers may use
};

std::uint64_t bytes_of(const CapturedBuffer& buffer) {
    std::uint64_t bytes = 0U;
    for (const AddressRange& run : buffer.runs) {
        bytes += run.bytes;
    }
    return bytes;
}

// In the host's order.
std::shared_ptr<const CapturedBuffer> moved_to(const CapturedBuffer& buffer, std::uint64_t address) {
    const std::uint64_t bytes = bytes_of(buffer);
    auto made = std::make_shared<CapturedBuffer>(buffer);
    Piece all;
    all.rows = bytes / made->row_bytes;
    all.column_bytes = made->row_bytes;
    made->pieces = {all};
    made->runs = {{static_cast<std::uint32_t>(address), static_cast<std::uint32_t>(bytes)}};
    made->host_runs = made->runs;
    return made;
}

// One device's work.
class Stager {
  public:
    Stager(const Interpretation& interpretation, const Target& target) : target_{target}, made_{interpretation} {}

    // The first address after everything that the work uses.
    [[nodiscard]] std::uint64_t used_until(const DeviceDescription& spec, std::uint64_t end) const {
        RangeSet used;
        for (const Section& section : made_.sections) {
            for (const Call& call : section.calls) {
                add_used(call, used);
            }
        }
        for (const DeclaredParameter& parameter : made_.declarations.parameters) {
            used.add(reach_of(parameter, made_.sections, target_.command_set()));
        }
        RangeSet dram;
        dram.add(spec.dram_base, end);
        used = used.common(dram);
        return used.empty() ? spec.dram_base : used.ranges().back().end;
    }

    [[nodiscard]] std::vector<DeclaredTensor>& tensors(CallKind kind) {
        return (kind == CallKind::kWrite) ? made_.declarations.inputs : made_.declarations.outputs;
    }
    Interpretation take() { return std::move(made_); }

    // Set-up writes the first contents elsewhere, and the prologue brings them.
    void stage_state(StagingMemory& memory) {
        DataFlow work{target_.command_set()};
        for (auto section = std::next(made_.sections.begin()); section != made_.sections.end(); ++section) {
            for (const Call& call : section->calls) {
                work.add(call);
            }
        }
        const RangeSet state = work.read_first().common(work.written());
        std::vector<Call>& front = made_.sections.front().calls;
        std::vector<Call> copies;
        for (std::size_t i = 0U; i < front.size(); ++i) {
            if ((front[i].kind == CallKind::kWrite) && is_last(front, i) &&
                addresses_of(*front[i].buffer).intersects(state)) {
                check_first_contents(made_, front[i], target_.command_set());
                const auto own = moved_to(*front[i].buffer, memory.take(bytes_of(*front[i].buffer), front[i].text()));
                copies.push_back(copy(front[i], *own));
                front[i].buffer = own;
                front[i].object |= kFirstContents;
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

    // own: the new place of each tensor; nullptr if it stays.
    void stage(CallKind kind, const std::vector<std::shared_ptr<const CapturedBuffer>>& own) {
        std::vector<DeclaredTensor>& all = tensors(kind);
        for (auto section = std::next(made_.sections.begin()); section != made_.sections.end(); ++section) {
            TensorCursor cursor{all};
            std::vector<Call> calls;
            for (Call& call : section->calls) {
                const auto tensor = (call.kind == kind) ? cursor.next(call.object) : std::nullopt;
                if (!tensor.has_value() || (own[*tensor] == nullptr)) {
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
        for (std::size_t i = 0U; i < all.size(); ++i) {
            all[i].buffer = (own[i] != nullptr) ? own[i] : all[i].buffer;
        }
    }

  private:
    void add_used(const Call& call, RangeSet& used) const {
        for_each_access(call, target_.command_set(),
                        [&used](Access /*access*/, std::uint64_t begin, std::uint64_t end) { used.add(begin, end); });
    }

    // A copy between the program's place and the separate memory.
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

    // Whether no later write touches its bytes.
    [[nodiscard]] static bool is_last(const std::vector<Call>& calls, std::size_t place) {
        const RangeSet own = addresses_of(*calls[place].buffer);
        return std::none_of(calls.begin() + static_cast<std::ptrdiff_t>(place) + 1, calls.end(), [&](const Call& call) {
            return (call.kind == CallKind::kWrite) && addresses_of(*call.buffer).intersects(own);
        });
    }

    const Target& target_;
    Interpretation made_;
};

// A tensor that needs separate memory on one device has it on all of its devices.
void stage_tensors(std::vector<Stager>& stagers, const std::vector<MeshTensor>& tensors, CallKind kind,
                   StagingMemory& memory) {
    std::vector<std::vector<bool>> shares;
    std::vector<std::vector<std::shared_ptr<const CapturedBuffer>>> own;
    for (Stager& each : stagers) {
        shares.push_back(sharing(each.tensors(kind)));
        own.emplace_back(each.tensors(kind).size());
    }
    for (const MeshTensor& tensor : tensors) {
        if (std::none_of(tensor.parts.begin(), tensor.parts.end(),
                         [&](const MeshTensor::Part& part) { return shares[part.device][part.index]; })) {
            continue;
        }
        const MeshTensor::Part& first = tensor.parts.front();
        const CapturedBuffer& buffer = *stagers[first.device].tensors(kind)[first.index].buffer;
        const std::uint64_t address = memory.take(bytes_of(buffer), fmt::format("'{}'", tensor.name));
        for (const MeshTensor::Part& part : tensor.parts) {
            own[part.device][part.index] = moved_to(*stagers[part.device].tensors(kind)[part.index].buffer, address);
        }
    }
    for (std::size_t i = 0U; i < stagers.size(); ++i) {
        stagers[i].stage(kind, own[i]);
    }
}

}  // namespace

std::vector<Interpretation> with_staging(const std::vector<const Interpretation*>& interpretations,
                                         const MeshTensors& tensors, const Target& target,
                                         const DeviceDescription& spec) {
    StagingMemory memory{spec};
    std::vector<Stager> stagers;
    std::uint64_t used = spec.dram_base;
    for (const Interpretation* const interpretation : interpretations) {
        stagers.emplace_back(*interpretation, target);
        used = std::max(used, stagers.back().used_until(spec, memory.end()));
    }
    // Each device's state begins at the same address.
    std::uint64_t next = used;
    for (Stager& stager : stagers) {
        memory.continue_at(used);
        stager.stage_state(memory);
        next = std::max(next, memory.next());
    }
    memory.continue_at(next);
    stage_tensors(stagers, tensors.inputs, CallKind::kWrite, memory);
    stage_tensors(stagers, tensors.outputs, CallKind::kRead, memory);
    std::vector<Interpretation> staged;
    for (Stager& stager : stagers) {
        staged.push_back(stager.take());
    }
    return staged;
}

}  // namespace pianola::host
