// overlap BINARY INPUT [yield]: what the ECU core gets done of its own work while the device is at a step.
//
// The work is a checksum over bytes, block by block; after each block a look at the device, now and then one at the
// session. Where the device has no core of its own, it runs inside poll(): then nothing is done beside it, and the
// report says 0. With "yield" the ECU core sleeps before each look at the session, as a cyclic task does at the end of
// its slot: an emulator that counts instructions runs one core at a time, and another only when that one sleeps.
#include <algorithm>
#include <cstring>

#include "hal/boards/common/board.h"
#include "hal/boards/common/shared_memory.h"
#include "tests/baremetal/board_tests/bench.h"

namespace pianola::baremetal {
namespace {

constexpr std::uint32_t kBlockBytes = 256U;
constexpr std::uint32_t kBlocksPerPoll = 16U;

Bench& bench() noexcept {
    static Bench the_bench{refdev::FaultScript{}};
    return the_bench;
}

// Commands that the device's queues have executed since the reset, all queues together.
[[nodiscard]] std::uint32_t device_progress() noexcept {
    std::uint32_t commands = 0U;
    for (const refdev::QueueMemory& queue : board::shared_state().queues) {
        commands += queue.progress.load(std::memory_order_relaxed);
    }
    return commands;
}

// One block of the ECU's work: a checksum, Fletcher's, of bytes that depend on the block's number.
[[nodiscard]] std::uint32_t work_on_block(std::uint32_t block) noexcept {
    constexpr std::uint32_t kModulus = 65'535U;
    constexpr std::uint32_t kHalf = 16U;
    std::uint32_t sum = 1U;
    std::uint32_t sum_of_sums = 0U;
    for (std::uint32_t i = 0U; i < kBlockBytes; ++i) {
        sum = (sum + ((block + i) & UINT8_MAX)) % kModulus;
        sum_of_sums = (sum_of_sums + sum) % kModulus;
    }
    return (sum_of_sums << kHalf) | sum;
}

struct Work {
    std::uint32_t blocks{0U};
    std::uint32_t checksum{0U};
    std::uint32_t progress{0U};
    std::uint32_t rises{0U};  // looks at which the device had got on since the look before
    std::uint32_t polls{0U};
};

void look_at_device(Work& work) noexcept {
    const std::uint32_t progress = device_progress();
    work.rises += (progress != work.progress) ? 1U : 0U;
    work.progress = progress;
}

// Works until the step has ended; its status.
[[nodiscard]] Status work_beside_device(bool yields, Work& work) noexcept {
    Status status = Status::kPending;
    while (status == Status::kPending) {  // ends at the deadline
        for (std::uint32_t i = 0U; (i < kBlocksPerPoll) && (board::device_cores() != 0U); ++i) {
            work.checksum ^= work_on_block(work.blocks);
            work.blocks += 1U;
            look_at_device(work);
        }
        if (yields) {
            bench().platform.idle();
            look_at_device(work);
        }
        status = bench().session.poll();
        work.polls += 1U;
    }
    return status;
}

[[nodiscard]] std::uint32_t checksum_of(std::uint32_t blocks) noexcept {
    std::uint32_t checksum = 0U;
    for (std::uint32_t block = 0U; block < blocks; ++block) {
        checksum ^= work_on_block(block);
    }
    return checksum;
}

}  // namespace

std::int32_t test_overlap(const Arguments& arguments) noexcept {
    if (arguments.count() < 3U) {
        return kWrongUsage;
    }
    LoadArea area;
    const ByteSpan file = area.load(arguments.at(1U));
    const ByteSpan input = area.load(arguments.at(2U));
    if (file.empty() || input.empty() || !load_binary(bench(), file)) {
        return kNotLoaded;
    }
    MutableByteSpan input_view;
    Status status = bench().session.input_view(0U, input_view);
    if (is_ok(status)) {
        std::copy_n(input.begin(), std::min(input.size(), input_view.size()), input_view.begin());
        status = bench().session.submit();
    }
    Work work;
    work.progress = device_progress();
    if (is_ok(status)) {
        const bool yields = (arguments.count() > 3U) && (std::strcmp(arguments.at(3U), "yield") == 0);
        status = work_beside_device(yields, work);
    }
    if (!is_ok(status)) {
        report_fault(bench().session.fault());
        return kFailed;
    }
    report("device_cores", board::device_cores());
    report("work", work.blocks);
    report("device_rises", work.rises);
    report("polls", work.polls);
    report("work_is_right", (work.checksum == checksum_of(work.blocks)) ? 1U : 0U);
    return kPassed;
}

}  // namespace pianola::baremetal
