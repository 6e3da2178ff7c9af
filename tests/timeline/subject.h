// The small workload as timelines see it, and slices collected.
//
// The workload's times are known by the arithmetic of docs/reference/device.md: 96 bytes are transferred or copied in
// 16 + 64 + 96/8 = 92 cycles; the requantize takes 64 + 2*96/16 + 192/8 = 100 and its launch 16 more, the add 64 +
// 4*96/16 + 288/8 = 124 and 16 more.
#pragma once

#include <vector>

#include "capture_host/timeline/gaps.h"
#include "capture_host/timeline/schedule.h"
#include "pianola_host/files.h"
#include "tests/support/mesh_workload.h"

namespace pianola::timeline {

inline constexpr Cycles kTransfer = 92U;
inline constexpr Cycles kCommand = 16U;
inline constexpr Cycles kFirst = 116U;
inline constexpr Cycles kSecond = 140U;
inline constexpr Cycles kTrace = kFirst + kSecond + kCommand;  // with its end

inline constexpr HostCost kFree{};
inline constexpr HostCost kSlowHost{2000U, 100U};  // 1000 cycles of 500 MHz for an operation, 50 for a queue command

class Subject {
  public:
    explicit Subject(std::uint32_t queues);
    explicit Subject(const test::Workload& workload);

    // Of the first device, and of all.
    [[nodiscard]] const Workload& workload() const { return workloads_.front(); }
    [[nodiscard]] const std::vector<Workload>& workloads() const noexcept { return workloads_; }
    [[nodiscard]] const DeviceDescription& device() const noexcept { return device_; }
    [[nodiscard]] ByteSpan file() const noexcept { return bytes_.view(); }

  private:
    files::AlignedBytes bytes_;
    DeviceDescription device_;
    std::vector<Workload> workloads_;
};

// The same workload as three requantizes of 32 bytes each on the cores 0, 1 and 0, a barrier, and the add on the whole
// grid.
[[nodiscard]] test::Workload on_cores(std::uint32_t queues);
inline constexpr Cycles kCoresTrace = 340U;  // Captured.CoresAreWorkedOutByHand says how

// The same workload in a pipeline: the prologue writes the first input, every step replays, reads, and writes the next.
[[nodiscard]] test::Workload pipelined(std::uint32_t steps_in_flight);

// For a mesh of 1x2: the small workload on its device (0, 1), and on (0, 0) the one that works on cores, as a second
// trace.
[[nodiscard]] test::Workload mixed(std::uint32_t queues);
inline constexpr test::MeshShape kMixedShape{1U, 2U};

[[nodiscard]] std::vector<Slice> slices_of(const Pattern& pattern, std::uint32_t steps);
[[nodiscard]] std::vector<Slice> on_lane(const std::vector<Slice>& slices, LaneKind kind, std::uint32_t index = 0U,
                                         std::uint32_t device = 0U);
// Every pattern of the workloads.
[[nodiscard]] std::vector<Pattern> all_patterns(const std::vector<Workload>& workloads, const HostCost& cost);

}  // namespace pianola::timeline
