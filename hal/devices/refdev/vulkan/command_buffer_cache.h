// CommandBufferCache: the command buffers of the traces in the trace region.
//
// A write to the trace region drops only the command buffers that it touches. The same words at the same address use
// the earlier command buffer again, so that a host whose programs alternate at one address does not record each of them
// again.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hal/devices/refdev/vulkan/trace_command_buffer.h"

namespace pianola::vulkan {

class CommandBufferCache {
  public:
    explicit CommandBufferCache(Parts& parts) : parts_{parts} {}

    // The command buffer of the bytes; nullptr: record() must be called first. Does not allocate.
    [[nodiscard]] TraceCommandBuffer* find(std::uint32_t address, std::uint32_t bytes) const noexcept;
    // Records the words in memory; nullptr: the driver has no memory for it.
    TraceCommandBuffer* record(std::uint32_t address, std::uint32_t bytes);
    // [address, address + bytes) of the trace region is written.
    void invalidate(std::uint32_t address, std::uint32_t bytes);
    // A word at `address` is now `word`: TraceCommandBuffer::patch(). A word that is neither a value nor an address
    // requires recording the trace again.
    void patch(std::uint32_t address, std::uint32_t word);
    // Whether something was written and not recorded since.
    [[nodiscard]] bool is_stale() const noexcept { return !written_.empty(); }
    // Records every trace that begins in the written bytes. kOk; kCapacity.
    Status record_written(std::vector<TraceCommandBuffer*>& fresh);
    // Drops old command buffers, only while nothing of them is under way: keeps those in place, and the latest of the
    // others.
    void forget_old();
    // Drops all command buffers: regions have changed.
    void clear() noexcept;

  private:
    struct Placed {
        std::uint32_t address{0U};
        std::uint32_t bytes{0U};
        TraceCommandBuffer* trace{nullptr};
    };
    struct Written {
        std::uint32_t begin{0U};
        std::uint32_t end{0U};
    };
    [[nodiscard]] WordSpan words_at(std::uint32_t address, std::uint32_t bytes) const noexcept;
    // Length of the trace that begins there; 0: none begins there.
    [[nodiscard]] std::uint32_t trace_bytes(std::uint32_t address, std::uint32_t limit) const;
    void take_off(std::uint32_t begin, std::uint32_t end);

    Parts& parts_;
    std::vector<std::unique_ptr<TraceCommandBuffer>> kept_;  // oldest first
    std::vector<Placed> placed_;
    std::vector<Written> written_;
};

}  // namespace pianola::vulkan
