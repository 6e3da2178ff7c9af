#include "capture_host/capture/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "capture_host/capture/assembly.h"
#include "capture_host/capture/memory_planner.h"
#include "pianola/config.h"

namespace pianola::capture {
namespace {

constexpr std::uint64_t kConstantAlignmentBytes = 16U;  // enough for every kernel; constants are many and small
constexpr std::uint64_t kBufferAlignmentBytes = 64U;

// Memory that is allocated from the bottom, whatever its size: the check is made after everything is placed, so that
// the refusal can say how much would fit.
class Memory {
  public:
    Memory(MemoryKind kind, std::uint32_t base) : kind_{kind}, base_{base} {}

    ManifestRegion take(const std::string& region, RegionKind kind, std::uint64_t size_bytes) {
        const auto base = static_cast<std::uint32_t>(base_ + used_bytes_);
        used_bytes_ = align_up(used_bytes_ + size_bytes, kBufferAlignmentBytes);
        return {region, kind, kind_, base, static_cast<std::uint32_t>(size_bytes)};
    }
    [[nodiscard]] std::uint64_t used_bytes() const { return used_bytes_; }

  private:
    MemoryKind kind_;
    std::uint32_t base_;
    std::uint64_t used_bytes_{0U};
};

// Command indices of the first and last use of every buffer.
std::vector<Lifetime> lifetimes_of(const Recorder& recorder) {
    constexpr std::uint32_t kUnused = std::numeric_limits<std::uint32_t>::max();
    std::vector<Lifetime> lifetimes;
    for (const Buffer& buffer : recorder.buffers()) {
        lifetimes.push_back({buffer.size_bytes, kUnused, 0U});
    }
    for (std::size_t i = 0U; i < recorder.launches().size(); ++i) {
        for (const Operand& operand : recorder.launches()[i].operands) {
            Lifetime& lifetime = lifetimes.at(static_cast<std::size_t>(operand.buffer));
            lifetime.first = std::min(lifetime.first, static_cast<std::uint32_t>(i));
            lifetime.last = std::max(lifetime.last, static_cast<std::uint32_t>(i));
        }
    }
    return lifetimes;
}

class LayoutMaker {
  public:
    LayoutMaker(const Recorder& recorder, const DeviceDescription& spec, LinkSummary& summary)
        : recorder_{recorder},
          spec_{spec},
          summary_{summary},
          dram_{MemoryKind::kDram, spec.dram_base},
          l1_{MemoryKind::kL1, spec.l1_base} {
        layout_.addresses.assign(recorder.buffers().size(), 0U);
        layout_.manifest_buffers.assign(recorder.buffers().size(), 0U);
    }

    Layout make() {
        place_weights();
        place_tensors("inputs", BufferRole::kInput, RegionKind::kInput, summary_.input_bytes);
        place_tensors("outputs", BufferRole::kOutput, RegionKind::kOutput, summary_.output_bytes);
        place_tensors("state", BufferRole::kState, RegionKind::kState, summary_.state_bytes);
        place_activations();
        check_dram();
        layout_.regions.push_back(trace_region(spec_));
        if (layout_.buffers.size() > kMaxBuffers) {
            throw LinkError{
                fmt::format("too many buffers: {} are needed, {} fit", layout_.buffers.size(), kMaxBuffers)};
        }
        return std::move(layout_);
    }

  private:
    // Only DRAM can be too small: activations are in L1 only if they fit.
    void check_dram() const {
        const std::uint64_t needed_bytes = dram_.used_bytes() + spec_.trace_region_bytes;
        if (needed_bytes > spec_.dram_bytes) {
            throw MemoryError{
                "dram_bytes", needed_bytes,
                fmt::format(
                    "DRAM is too small: {} bytes are needed ({} of weights, {} of inputs, outputs and state, {} "
                    "of activations, {} of trace region), {} are there",
                    needed_bytes, summary_.weight_bytes,
                    summary_.input_bytes + summary_.output_bytes + summary_.state_bytes,
                    summary_.activations_in_l1 ? 0U : summary_.activation_bytes, spec_.trace_region_bytes,
                    spec_.dram_bytes)};
        }
    }

    // Calls place(id, buffer) for every buffer of the role.
    template <typename Place>
    void for_each(BufferRole role, Place place) {
        for (std::size_t i = 0U; i < recorder_.buffers().size(); ++i) {
            if (recorder_.buffers()[i].role == role) {
                place(i, recorder_.buffers()[i]);
            }
        }
    }

    void add_buffer(std::size_t id, const Buffer& buffer, std::uint64_t offset_bytes) {
        const ManifestRegion& region = layout_.regions.back();
        layout_.addresses[id] = static_cast<std::uint32_t>(region.base + offset_bytes);
        layout_.manifest_buffers[id] = static_cast<std::uint32_t>(layout_.buffers.size());
        layout_.buffers.push_back({manifest_name(buffer.name, fmt::format("buffer {}", id)),
                                   static_cast<std::uint32_t>(layout_.regions.size() - 1U),
                                   static_cast<std::uint32_t>(offset_bytes), buffer.size_bytes});
    }

    // All constants form one buffer, so that set-up is one transfer.
    void place_weights() {
        std::vector<std::pair<std::size_t, std::uint64_t>> offsets;
        for_each(BufferRole::kConstant, [&](std::size_t id, const Buffer& buffer) {
            const std::uint64_t offset = align_up(layout_.weights.size(), kConstantAlignmentBytes);
            layout_.weights.resize(offset);
            layout_.weights.insert(layout_.weights.end(), buffer.contents.begin(), buffer.contents.end());
            offsets.emplace_back(id, offset);
        });
        summary_.weight_bytes = layout_.weights.size();
        if (offsets.empty()) {
            return;
        }
        layout_.regions.push_back(dram_.take("weights", RegionKind::kWeights, layout_.weights.size()));
        const ManifestRegion& region = layout_.regions.back();
        for (const auto& [id, offset] : offsets) {
            layout_.addresses[id] = static_cast<std::uint32_t>(region.base + offset);
        }
        layout_.buffers.push_back({"weights", 0U, 0U, region.size_bytes});
    }

    void place_tensors(const std::string& name, BufferRole role, RegionKind kind, std::uint64_t& bytes) {
        std::vector<std::pair<std::size_t, std::uint64_t>> offsets;
        std::uint64_t end = 0U;
        for_each(role, [&](std::size_t id, const Buffer& buffer) {
            offsets.emplace_back(id, align_up(end, kBufferAlignmentBytes));
            end = offsets.back().second + buffer.size_bytes;
            bytes += buffer.size_bytes;
        });
        if (offsets.empty()) {
            return;
        }
        layout_.regions.push_back(dram_.take(name, kind, end));
        for (const auto& [id, offset] : offsets) {
            add_buffer(id, recorder_.buffers()[id], offset);
        }
    }

    void place_activations() {
        const std::vector<Lifetime> all = lifetimes_of(recorder_);
        std::vector<Lifetime> lifetimes;
        std::vector<std::size_t> ids;
        for_each(BufferRole::kActivation, [&](std::size_t id, const Buffer& /*buffer*/) {
            if (all[id].first <= all[id].last) {  // a buffer that no command names takes no memory
                lifetimes.push_back(all[id]);
                ids.push_back(id);
            }
        });
        if (ids.empty()) {
            return;
        }
        const MemoryPlan plan = plan_memory(lifetimes);
        summary_.activation_bytes = plan.planned_bytes;
        summary_.activation_sum_bytes = plan.sum_bytes;
        summary_.activation_lower_bound_bytes = plan.lower_bound_bytes;
        summary_.activations_in_l1 = plan.planned_bytes <= spec_.l1_bytes;
        Memory& memory = summary_.activations_in_l1 ? l1_ : dram_;
        layout_.regions.push_back(memory.take("activations", RegionKind::kActivation, plan.planned_bytes));
        for (std::size_t i = 0U; i < ids.size(); ++i) {
            add_buffer(ids[i], recorder_.buffers()[ids[i]], plan.offsets[i]);
        }
    }

    const Recorder& recorder_;
    const DeviceDescription& spec_;
    LinkSummary& summary_;
    Memory dram_;
    Memory l1_;
    Layout layout_;
};

}  // namespace

Layout lay_out(const Recorder& recorder, const DeviceDescription& spec, LinkSummary& summary) {
    return LayoutMaker{recorder, spec, summary}.make();
}

}  // namespace pianola::capture
