#include "hal/measure/bench.h"

#include <cstring>

#include "hal/boards/common/board.h"
#include "hal/measure/counter.h"
#include "hal/measure/markers.h"

namespace pianola::measure {
namespace {

// Readings of the clock for each microsecond that it gets on.
constexpr std::uint32_t kReadingsPerUs = 64U;

}  // namespace

void Services::add(const Service& service) noexcept {
    if (count_ < capacity()) {
        std::memcpy(&memory_[std::size_t{count_} * sizeof(Service)], &service, sizeof(Service));
    }
    ++count_;
}

Service Services::at(std::uint32_t index) const noexcept {
    Service service;
    std::memcpy(&service, &memory_[std::size_t{index} * sizeof(Service)], sizeof(Service));
    return service;
}

std::uint8_t* CountedLink::memory_at(std::uint32_t address, std::uint32_t size_bytes) noexcept {
    // Wraps to a large offset below the base, which is in no memory.
    const MutableByteSpan in_dram = memories_.dram.subspan(address - spec_.dram_base, size_bytes);
    const MutableByteSpan in_l1 = memories_.l1.subspan(address - spec_.l1_base, size_bytes);
    return (in_dram.data() != nullptr) ? in_dram.data() : in_l1.data();
}

Status CountedLink::service() noexcept {
    pianola_count_pause();
    Service service;
    service.session = counter() - started_;
    std::array<std::uint32_t, kMaxQueues> written{};
    for (std::uint32_t queue = 0U; queue < kMaxQueues; ++queue) {
        written[queue] = shared_.logs[queue].written;
    }
    if (counts_queues_apart_) {
        for (std::uint32_t queue = 0U; queue < kMaxQueues; ++queue) {
            const std::uint32_t before = counter();
            device_.step(queue);
            service.device[queue] = counter() - before;
        }
    } else {
        const std::uint32_t before = counter();
        device_.step();
        service.device[0] = counter() - before;
    }
    for (std::uint32_t queue = 0U; queue < kMaxQueues; ++queue) {
        const refdev::ExecutionLog& log = shared_.logs[queue];
        if (log.written != written[queue]) {
            const refdev::LogEntry& entry = log.entries[written[queue] % refdev::kLogEntries];
            service.opcodes[queue] = entry.kind;
            service.kernels[queue] = entry.kernel_id;
        }
    }
    services_.add(service);
    started_ = counter();
    pianola_count_resume();
    return Status::kOk;
}

std::uint64_t CountedLink::now_us() noexcept {
    return board::now_us();
}

void CountedLink::clean(ByteSpan memory) noexcept {
    board::clean_cache(memory);
}

void CountedLink::invalidate(MutableByteSpan memory) noexcept {
    board::invalidate_cache(memory);
}

void CountedLink::begin() noexcept {
    services_.clear();
    started_ = counter();
    pianola_count_begin();
}

std::uint32_t CountedLink::end() const noexcept {
    pianola_count_end();
    return counter() - started_;
}

// What reading the board's clock costs is counted.
std::uint64_t PatientPlatform::now_us() noexcept {
    static_cast<void>(board::now_us());
    ++readings_;
    return readings_ / kReadingsPerUs;
}

}  // namespace pianola::measure
