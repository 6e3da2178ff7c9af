// Transfers: host memory that queue commands read from and write to.
//
// A caller's data are copied here at once. Data that the device reads for a caller arrive here, and are given out after
// their completion.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "capture_host/host/device/queue_driver.h"
#include "capture_host/host/device/race_detector.h"
#include "pianola_host/device.h"

namespace pianola::host {

struct ReadHandle::State {
    std::weak_ptr<Device> device;
    std::uint32_t queue{0U};
    std::uint32_t token{0U};
    std::size_t arena_offset{0U};
    std::uint64_t row_bytes{0U};
    std::vector<Piece> pieces;
    std::vector<std::uint8_t> data;
    RaceDetector::Clock clock{};
    bool ready{false};
    std::atomic<bool> seen{false};  // by the host
    std::string failure;            // why it will never be ready
};

class Transfers {
  public:
    Transfers(pianola::Device& device, QueueDriver& queues);

    void write(std::uint32_t queue, const Buffer& buffer, ByteSpan host_row_major);
    void write(std::uint32_t queue, std::uint32_t address, ByteSpan bytes);
    [[nodiscard]] std::shared_ptr<ReadHandle::State> read(std::uint32_t queue, const Buffer& buffer);

    // Gives out the data of reads that have completed.
    void collect();
    // Waits until nothing is under way, and gives out all data.
    void drain();
    // No pending read will complete: their handles report `why`.
    void abandon(const std::string& why) noexcept;

  private:
    // Room for `bytes`; if there is none, drains, and grows the arena.
    [[nodiscard]] std::size_t take(std::vector<std::uint8_t>& arena, std::size_t& used, std::size_t bytes);
    void bind();
    // One transfer between device memory and the arena.
    void enqueue(std::uint32_t queue, QueueCommandKind kind, const AddressRange& range, std::size_t arena_offset);

    pianola::Device& device_;
    QueueDriver& queues_;
    std::vector<std::uint8_t> source_;
    std::vector<std::uint8_t> destination_;
    std::size_t source_used_{0U};
    std::size_t destination_used_{0U};
    std::vector<std::shared_ptr<ReadHandle::State>> pending_;
};

}  // namespace pianola::host
