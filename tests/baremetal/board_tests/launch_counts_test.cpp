// launch_counts RECORDS RESULT: how many instructions the device takes for each command that a file gives, between the
// instruction counter's markers. Every step of the device is one part of one section.
//
// RECORDS: words, little-endian. Each record is its kind, the number of words that follow, and these:
//   1 fill     address, bytes, seed: random bytes into device memory
//   2 pattern  address, bytes, length, then a pattern of that many bytes, repeated
//   3 trace    a trace's words; its steps are the replay and each of its commands
//   4 queue    a queue command's words, as in a ring but without a check; one step. Host memory of every slot is the
//              kHostBytes that are allocated for it
//   5 reset    number of regions that the protection unit has before that of the operands; no step
//   6 idle     one step without a command
// RESULT is written: for each record one word, the fault that it ended with in bits 0 to 7, the number of its steps
// above. After a fault the device is reset.
#include <algorithm>
#include <cstring>
#include <utility>

#include "hal/boards/common/board_device.h"
#include "hal/boards/common/semihosting.h"
#include "hal/devices/refdev/queue_command.h"
#include "tests/baremetal/board_tests/bench.h"
#include "tests/baremetal/board_tests/counted.h"
#include "tests/baremetal/board_tests/one_core_link.h"

namespace pianola::baremetal {
namespace {

enum class RecordKind : std::uint32_t { kFill = 1U, kPattern, kTrace, kQueue, kReset, kIdle };

constexpr std::uint32_t kHostBytes = 64U * 1024U;
constexpr std::uint32_t kWordBytes = sizeof(std::uint32_t);
constexpr std::uint32_t kFailedRecord = 0xFFU;  // no fault of a device
constexpr std::uint32_t kStepsShift = 8U;

class LaunchBench {
  public:
    // Resets the device and programs its regions: `others`, 64 bytes of L1 each, and the whole of DRAM.
    [[nodiscard]] bool reset(std::uint32_t others) noexcept;
    [[nodiscard]] bool reset() noexcept { return reset(others_); }  // with the same regions
    [[nodiscard]] std::uint32_t steps() const noexcept { return steps_; }
    void bind(MutableByteSpan memory) noexcept { host_ = memory; }
    // Both: the fault, or kFailedRecord.
    [[nodiscard]] std::uint32_t run_trace(WordSpan words) noexcept;
    [[nodiscard]] std::uint32_t run_queue_command(WordSpan words) noexcept;
    [[nodiscard]] std::uint32_t step() noexcept;
    [[nodiscard]] MutableByteSpan memory(std::uint32_t address, std::uint32_t size_bytes) noexcept;

  private:
    [[nodiscard]] bool enqueue(const QueueCommand& command) noexcept;

    refdev::SharedState shared_;
    OneCoreLink link_{shared_};
    refdev::DeviceSpec spec_;
    board::BoardDevice device_{spec_, shared_, link_};
    MutableByteSpan host_;
    std::uint32_t enqueued_{0U};  // since reset
    std::uint32_t others_{0U};
    std::uint32_t steps_{0U};
};

LaunchBench& bench() noexcept {
    static LaunchBench the_bench;
    return the_bench;
}

bool LaunchBench::reset(std::uint32_t others) noexcept {
    constexpr std::uint32_t kOtherBytes = 64U;
    link_.set_counting(false);
    bool is_right = is_ok(device_.reset());
    static_cast<void>(device_.service());  // the queues notice that they may run
    static_cast<void>(device_.service());
    for (std::uint32_t i = 0U; i < others; ++i) {
        is_right = is_ok(device_.program_region(
                       {spec_.l1_base + (i * kOtherBytes), kOtherBytes, true, true, true, true, true})) &&
                   is_right;
    }
    is_right =
        is_ok(device_.program_region({spec_.dram_base, spec_.dram_bytes, true, true, true, true, true})) && is_right;
    for (std::uint32_t slot = 0U; slot < kSourceSlots; ++slot) {
        is_right = is_ok(device_.bind_source(slot, host_)) && is_right;
    }
    for (std::uint32_t slot = 0U; slot < kDestinationSlots; ++slot) {
        is_right = is_ok(device_.bind_destination(slot, host_)) && is_right;
    }
    link_.set_counting(true);
    enqueued_ = 0U;
    others_ = others;
    return is_right;
}

bool LaunchBench::enqueue(const QueueCommand& command) noexcept {
    QueueCommand sealed = command;
    refdev::CommandSums sums{refdev::first_term(enqueued_), 0U};
    refdev::give_words(command, sums);
    sealed.check = refdev::check_bits_of(sums.check);
    enqueued_ += 1U;
    return is_ok(device_.enqueue(0U, sealed)) && is_ok(device_.ring_doorbell(0U));
}

std::uint32_t LaunchBench::step() noexcept {
    static_cast<void>(device_.service());
    steps_ += 1U;
    const refdev::QueueMemory& queue = shared_.queues[0];
    const bool is_stopped = queue.stopped.load(std::memory_order_relaxed) != 0U;
    return is_stopped ? static_cast<std::uint32_t>(queue.fault.fault) : 0U;
}

std::uint32_t LaunchBench::run_trace(WordSpan words) noexcept {
    const auto size_bytes = static_cast<std::uint32_t>(words.size()) * kWordBytes;
    QueueCommand replay;
    replay.kind = QueueCommandKind::kReplay;
    replay.address = spec_.dram_base + (spec_.dram_bytes - spec_.trace_region_bytes);
    replay.size_bytes = size_bytes;
    if ((size_bytes > spec_.trace_region_bytes) || !enqueue(replay)) {
        return kFailedRecord;
    }
    std::memcpy(memory(replay.address, size_bytes).data(), words.data(), size_bytes);
    std::uint32_t fault = step();
    std::size_t at = 0U;
    while ((fault == 0U) && (at < words.size())) {
        const std::uint32_t length = refdev::length_words_of(words[at]);
        if (length == 0U) {
            return kFailedRecord;
        }
        fault = step();
        at += length;
    }
    return fault;
}

std::uint32_t LaunchBench::run_queue_command(WordSpan words) noexcept {
    constexpr std::array<std::pair<refdev::Opcode, QueueCommandKind>, 6U> kKinds{{
        {refdev::Opcode::kWrite, QueueCommandKind::kWrite},
        {refdev::Opcode::kRead, QueueCommandKind::kRead},
        {refdev::Opcode::kReplay, QueueCommandKind::kReplay},
        {refdev::Opcode::kRecordEvent, QueueCommandKind::kRecordEvent},
        {refdev::Opcode::kWaitEvent, QueueCommandKind::kWaitEvent},
        {refdev::Opcode::kNotify, QueueCommandKind::kNotify},
    }};
    QueueCommand command;
    const auto opcode = static_cast<refdev::Opcode>(words[0] & refdev::kOpcodeMask);
    for (const auto& [code, kind] : kKinds) {
        command.kind = (code == opcode) ? kind : command.kind;
    }
    if (words.size() != refdev::word_count(command.kind)) {
        return kFailedRecord;
    }
    const bool is_transfer = words.size() == refdev::kTransferWords;
    command.address = words[1];
    command.event = words[1];
    command.size_bytes = (words.size() > 2U) ? words[2] : 0U;
    command.value = (words.size() > 2U) ? words[2] : words[1];
    command.slot = is_transfer ? words[3] : 0U;
    command.slot_offset = is_transfer ? words[4] : 0U;
    return enqueue(command) ? step() : kFailedRecord;
}

MutableByteSpan LaunchBench::memory(std::uint32_t address, std::uint32_t size_bytes) noexcept {
    std::uint8_t* const bytes = link_.memory_at(address, size_bytes);
    return (bytes != nullptr) ? MutableByteSpan{bytes, size_bytes} : MutableByteSpan{};
}

void fill(MutableByteSpan memory, std::uint32_t seed) noexcept {
    std::uint32_t state = (seed != 0U) ? seed : 1U;
    std::size_t at = 0U;
    while (at < memory.size()) {
        state ^= state << 13U;  // xorshift32: G. Marsaglia, "Xorshift RNGs", 2003
        state ^= state >> 17U;
        state ^= state << 5U;
        const std::uint32_t mixed = state * 0x9E37'79B1U;
        const std::size_t bytes = std::min<std::size_t>(kWordBytes, memory.size() - at);
        std::memcpy(&memory[at], &mixed, bytes);
        at += bytes;
    }
}

// Doubles what is there, so that short patterns do not take long.
void repeat(MutableByteSpan memory, ByteSpan pattern) noexcept {
    std::size_t done = std::min(pattern.size(), memory.size());
    std::memcpy(memory.data(), pattern.data(), done);
    while (done < memory.size()) {
        const std::size_t bytes = std::min(done, memory.size() - done);
        std::memcpy(&memory[done], memory.data(), bytes);
        done += bytes;
    }
}

[[nodiscard]] std::uint32_t set_memory(RecordKind kind, WordSpan words) noexcept {
    const MutableByteSpan memory = bench().memory(words[0], words[1]);
    if (memory.empty()) {
        return kFailedRecord;
    }
    if (kind == RecordKind::kFill) {
        fill(memory, words[2]);
        return 0U;
    }
    const WordSpan rest = words.subspan(3U, words.size() - 3U);
    if ((words[2] == 0U) || (words[2] > (rest.size() * kWordBytes))) {
        return kFailedRecord;
    }
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-005
    repeat(memory, ByteSpan{reinterpret_cast<const std::uint8_t*>(rest.data()), words[2]});
    return 0U;
}

[[nodiscard]] std::uint32_t run_record(RecordKind kind, WordSpan words) noexcept {
    constexpr std::size_t kMemoryWords = 3U;
    switch (kind) {
        case RecordKind::kFill:
        case RecordKind::kPattern:
            return (words.size() >= kMemoryWords) ? set_memory(kind, words) : kFailedRecord;
        case RecordKind::kTrace:
            return words.empty() ? kFailedRecord : bench().run_trace(words);
        case RecordKind::kQueue:
            return (words.size() > 1U) ? bench().run_queue_command(words) : kFailedRecord;
        case RecordKind::kReset:
            return ((words.size() == 1U) && bench().reset(words[0])) ? 0U : kFailedRecord;
        case RecordKind::kIdle:
            return bench().step();
        default:
            return kFailedRecord;
    }
}

// Runs all records. False if the file is damaged, or results do not fit.
[[nodiscard]] bool run_records(WordSpan file, MutableByteSpan results, std::size_t& result_bytes) noexcept {
    constexpr std::size_t kHeadWords = 2U;
    std::size_t at = 0U;
    while (at < file.size()) {
        const WordSpan head = file.subspan(at, kHeadWords);
        if (head.empty() || !file.contains(at + kHeadWords, head[1])) {
            return false;
        }
        const WordSpan words = file.subspan(at + kHeadWords, head[1]);
        const std::uint32_t steps = bench().steps();
        const std::uint32_t fault = run_record(static_cast<RecordKind>(head[0]), words);
        if ((fault != 0U) && !bench().reset()) {
            return false;
        }
        const std::uint32_t result = fault | ((bench().steps() - steps) << kStepsShift);
        const MutableByteSpan place = results.subspan(result_bytes, sizeof(result));
        if (place.empty()) {
            return false;
        }
        std::memcpy(place.data(), &result, sizeof(result));
        result_bytes += sizeof(result);
        at += kHeadWords + words.size();
    }
    return true;
}

}  // namespace

std::int32_t test_launch_counts(const Arguments& arguments) noexcept {
    constexpr std::uint32_t kResultBytes = 1024U * 1024U;
    if (arguments.count() != 3U) {
        return kWrongUsage;
    }
    pianola_count_pause();
    LoadArea area;
    const MutableByteSpan host = area.allocate(kHostBytes);
    const MutableByteSpan results = area.allocate(kResultBytes);
    const ByteSpan file = area.load(arguments.at(1U));
    if (host.empty() || results.empty() || file.empty()) {
        return kNotLoaded;
    }
    bench().bind(host);
    pianola_count_begin();
    pianola_count_pause();
    std::size_t result_bytes = 0U;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-005
    const WordSpan words{reinterpret_cast<const std::uint32_t*>(file.data()), file.size() / kWordBytes};
    const bool is_complete = bench().reset(0U) && run_records(words, results, result_bytes);
    pianola_count_resume();
    pianola_count_end();
    pianola_count_pause();
    const bool is_stored = semihosting::store_file(arguments.at(2U), results.subspan(0U, result_bytes));
    return (is_complete && is_stored) ? kPassed : kFailed;
}

}  // namespace pianola::baremetal
