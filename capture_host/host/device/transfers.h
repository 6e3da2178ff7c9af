// Transfers: host memory that queue commands read from and write to.
//
// What a caller writes is copied here at once; what the device reads for a caller lands here, and is handed out when
// its completion is there.
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

    // Hands out what has completed.
    void collect();
    // Waits until nothing is under way, and hands everything out.
    void drain();
    // No read will complete any more.
    void abandon(const std::string& why) noexcept;

  private:
    // Room for `bytes`; drains, and grows the arena, where there is none.
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
