#include "hal/sim/sim_device.h"

#include <cstring>

#include "hal/refdev/command_encoding.h"
#include "hal/sim/access_checker.h"

namespace pianola::sim {
namespace {

using refdev::header_word;
using refdev::Opcode;

constexpr std::uint32_t kRingMask = refdev::kRingWords - 1U;

[[nodiscard]] bool is_trace_command(Opcode opcode) noexcept {
    return (opcode == Opcode::kLaunch) || (opcode == Opcode::kCopy) || (opcode == Opcode::kFill) ||
           (opcode == Opcode::kBarrier) || (opcode == Opcode::kEnd);
}

// The words of a queue command; count 0 where the command is of no kind.
struct EncodedCommand {
    std::array<std::uint32_t, refdev::kMaxQueueCommandWords> words{};
    std::uint32_t count{0U};
};

EncodedCommand encode(const QueueCommand& command) noexcept {
    const std::uint32_t count = refdev::queue_command_words(command.kind);
    switch (command.kind) {
        case QueueCommandKind::kWrite:
            return {{header_word(Opcode::kWrite, count), command.address, command.size_bytes, command.slot,
                     command.slot_offset},
                    count};
        case QueueCommandKind::kRead:
            return {{header_word(Opcode::kRead, count), command.address, command.size_bytes, command.slot,
                     command.slot_offset},
                    count};
        case QueueCommandKind::kReplay:
            return {{header_word(Opcode::kReplay, count), command.address, command.size_bytes}, count};
        case QueueCommandKind::kRecordEvent:
            return {{header_word(Opcode::kRecordEvent, count), command.event, command.value}, count};
        case QueueCommandKind::kWaitEvent:
            return {{header_word(Opcode::kWaitEvent, count), command.event, command.value}, count};
        case QueueCommandKind::kNotify:
            return {{header_word(Opcode::kNotify, count), command.value}, count};
        case QueueCommandKind::kUnspecified:
        default:
            return {};
    }
}

// Holds commands to their extents, and keeps the log.
class QueueObserver final : public refdev::CommandObserver {
  public:
    QueueObserver(AccessChecker* checker, bool keep_log) : checker_{checker}, keep_log_{keep_log} {}
    ~QueueObserver() = default;
    QueueObserver(const QueueObserver&) = delete;
    QueueObserver(QueueObserver&&) = delete;
    QueueObserver& operator=(const QueueObserver&) = delete;
    QueueObserver& operator=(QueueObserver&&) = delete;

    void before(std::uint32_t /*queue*/, WordSpan words) noexcept override {
        if ((checker_ != nullptr) && is_trace_command(static_cast<Opcode>(words[0] & refdev::kOpcodeMask))) {
            checker_->before(words);
        }
    }
    void after(const refdev::ExecutedCommand& executed, WordSpan /*words*/) noexcept override {
        if (checker_ != nullptr) {
            if (is_trace_command(executed.opcode)) {
                checker_->after();
            } else {
                checker_->refresh();
            }
        }
        if (keep_log_) {
            log_.push_back(executed);
        }
    }

    [[nodiscard]] const std::vector<refdev::ExecutedCommand>& log() const noexcept { return log_; }
    void clear_log() { log_.clear(); }

  private:
    AccessChecker* checker_;
    bool keep_log_;
    std::vector<refdev::ExecutedCommand> log_;
};

}  // namespace

struct SimDevice::Queue {
    Queue(std::uint32_t index, SimDevice& device)
        : observer{device.checker_.get(), device.options_.keep_log},
          processor{index,          shared,
                    device.events_, device.memory_,
                    device.host_,   ((device.checker_ != nullptr) || device.options_.keep_log) ? &observer : nullptr} {}

    refdev::QueueMemory shared;
    QueueObserver observer;
    refdev::CommandProcessor processor;
    std::uint32_t written{0U};  // words in the ring, published or not
    bool completion_lost{false};
    std::thread thread;
};

SimDevice::SimDevice(const SimOptions& options)
    : options_{options}, dram_(options.spec.dram_bytes), l1_(options.spec.l1_bytes) {
    if (options_.check_accesses && (options_.threading == Threading::kInProcess)) {
        checker_ = std::make_unique<AccessChecker>(
            std::vector<AccessChecker::Memory>{{options_.spec.dram_base, &dram_}, {options_.spec.l1_base, &l1_}});
    }
    for (std::uint32_t i = 0U; i < options_.spec.queue_count; ++i) {
        queues_.push_back(std::make_unique<Queue>(i, *this));
    }
}

SimDevice::~SimDevice() {
    stop_threads();
}

bool SimDevice::is_scripted(std::uint32_t& counter, std::uint32_t wanted) noexcept {
    counter += 1U;
    return (wanted != 0U) && (counter == wanted);
}

Status SimDevice::describe(DeviceDescription& description) const noexcept {
    refdev::describe(options_.spec, description);
    return Status::kOk;
}

void SimDevice::stop_threads() noexcept {
    stop_.store(true, std::memory_order_relaxed);
    for (const auto& queue : queues_) {
        if (queue->thread.joinable()) {
            queue->thread.join();
        }
    }
    stop_.store(false, std::memory_order_relaxed);
}

void SimDevice::run_queue(Queue& queue) {
    while (!stop_.load(std::memory_order_relaxed)) {
        if (queue.processor.step() != refdev::Progress::kExecuted) {
            std::this_thread::yield();
        }
    }
}

void SimDevice::start_threads() {
    for (const auto& queue : queues_) {
        if (!queue->thread.joinable()) {
            queue->thread = std::thread{[this, &queue] { run_queue(*queue); }};
        }
    }
}

Status SimDevice::reset() noexcept {
    if (is_scripted(counters_.fail_reset, options_.faults.fail_reset)) {
        return Status::kTimeout;
    }
    stop_threads();
    memory_.clear();
    host_ = refdev::HostMemory{};
    for (refdev::EventCell& event : events_) {
        event.counter.store(0U, std::memory_order_relaxed);
        event.time_cycles = 0U;
    }
    for (const auto& queue : queues_) {
        queue->processor.reset();
        for (std::atomic<std::uint32_t>* word :
             {&queue->shared.published, &queue->shared.doorbell_cycles_low, &queue->shared.doorbell_cycles_high,
              &queue->shared.consumed, &queue->shared.progress, &queue->shared.completed_token,
              &queue->shared.stopped}) {
            word->store(0U, std::memory_order_relaxed);
        }
        queue->shared.completion = Completion{};
        queue->written = 0U;
        queue->completion_lost = false;
    }
    // Time goes on: a platform's clock must not run backwards.
    if (checker_ != nullptr) {
        checker_->refresh();
    }
    return Status::kOk;
}

std::uint8_t* SimDevice::memory_at(std::uint32_t address, std::uint64_t size_bytes) noexcept {
    struct Memory {
        std::uint32_t base;
        std::vector<std::uint8_t>& bytes;
    };
    for (const Memory& memory : {Memory{options_.spec.dram_base, dram_}, Memory{options_.spec.l1_base, l1_}}) {
        const std::uint64_t offset = std::uint64_t{address} - memory.base;
        if ((address >= memory.base) && (offset <= memory.bytes.size()) &&
            (size_bytes <= (memory.bytes.size() - offset))) {
            return memory.bytes.data() + offset;
        }
    }
    return nullptr;
}

Status SimDevice::program_region(const RegionConfig& region) noexcept {
    std::uint8_t* const host = memory_at(region.base, region.size_bytes);
    if ((host == nullptr) || is_scripted(counters_.refuse_region, options_.faults.refuse_region)) {
        return Status::kCapacity;
    }
    return memory_.program({region.base, region.size_bytes, host, region.kernels_read, region.kernels_write,
                            region.queues_read, region.queues_write, region.fetch});
}

Status SimDevice::read_back(std::uint32_t address, MutableByteSpan out) noexcept {
    const std::uint8_t* const memory = memory_at(address, out.size());
    if (memory == nullptr) {
        return Status::kInvalidArgument;
    }
    std::memcpy(out.data(), memory, out.size());
    if (is_scripted(counters_.damage_read_back, options_.faults.damage_read_back) && !out.empty()) {
        out[0] = static_cast<std::uint8_t>(out[0] ^ 1U);
    }
    return Status::kOk;
}

Status SimDevice::bind_source(std::uint32_t slot, ByteSpan memory) noexcept {
    if ((slot >= kSourceSlots) || is_scripted(counters_.refuse_bind, options_.faults.refuse_bind)) {
        return Status::kInvalidArgument;
    }
    host_.sources.at(slot) = memory;
    return Status::kOk;
}

Status SimDevice::bind_destination(std::uint32_t slot, MutableByteSpan memory) noexcept {
    if ((slot >= kDestinationSlots) || is_scripted(counters_.refuse_bind, options_.faults.refuse_bind)) {
        return Status::kInvalidArgument;
    }
    host_.destinations.at(slot) = memory;
    return Status::kOk;
}

Status SimDevice::enqueue(std::uint32_t queue, const QueueCommand& command) noexcept {
    const EncodedCommand encoded = encode(command);
    if ((queue >= queues_.size()) || (encoded.count == 0U)) {
        return Status::kInvalidArgument;
    }
    Queue& target = *queues_[queue];
    const std::uint32_t used = target.written - target.shared.consumed.load(std::memory_order_acquire);
    if ((encoded.count > (refdev::kRingWords - used)) ||
        is_scripted(counters_.refuse_enqueue, options_.faults.refuse_enqueue)) {
        return Status::kBusy;
    }
    for (std::uint32_t i = 0U; i < encoded.count; ++i) {
        target.shared.ring[(target.written + i) & kRingMask] = encoded.words[i];
    }
    target.written += encoded.count;
    return Status::kOk;
}

Status SimDevice::ring_doorbell(std::uint32_t queue) noexcept {
    if (queue >= queues_.size()) {
        return Status::kInvalidArgument;
    }
    if (is_scripted(counters_.lose_doorbell, options_.faults.lose_doorbell)) {
        return Status::kOk;
    }
    refdev::QueueMemory& shared = queues_[queue]->shared;
    shared.doorbell_cycles_low.store(static_cast<std::uint32_t>(now_cycles_), std::memory_order_relaxed);
    shared.doorbell_cycles_high.store(static_cast<std::uint32_t>(now_cycles_ >> 32U), std::memory_order_relaxed);
    shared.published.store(queues_[queue]->written, std::memory_order_release);
    if (options_.threading == Threading::kThreaded) {
        start_threads();
    }
    return Status::kOk;
}

Status SimDevice::service() noexcept {
    if (options_.threading == Threading::kThreaded) {
        return Status::kOk;
    }
    // Every queue as far as it gets, until none moves. Ends: rings and traces are finite.
    bool moved = true;
    while (moved) {
        moved = false;
        for (const auto& queue : queues_) {
            refdev::CommandProcessor& processor = queue->processor;
            while (processor.step() == refdev::Progress::kExecuted) {
                moved = true;
            }
        }
    }
    return Status::kOk;
}

Status SimDevice::completion(std::uint32_t queue, std::uint32_t token, Completion& completion) noexcept {
    if (queue >= queues_.size()) {
        return Status::kInvalidArgument;
    }
    Queue& source = *queues_[queue];
    if (source.shared.stopped.load(std::memory_order_acquire) != 0U) {
        completion = source.shared.completion;
        return Status::kDeviceFault;
    }
    if (source.completion_lost || (source.shared.completed_token.load(std::memory_order_acquire) != token)) {
        return Status::kPending;
    }
    if (is_scripted(counters_.lose_completion, options_.faults.lose_completion)) {
        source.completion_lost = true;
        return Status::kPending;
    }
    completion = source.shared.completion;
    now_cycles_ = (completion.time_cycles > now_cycles_) ? completion.time_cycles : now_cycles_;
    return Status::kOk;
}

std::uint64_t SimDevice::progress() const noexcept {
    std::uint64_t sum = 0U;
    for (const auto& queue : queues_) {
        sum += queue->shared.progress.load(std::memory_order_relaxed);
    }
    return sum;
}

const std::vector<refdev::ExecutedCommand>& SimDevice::log(std::uint32_t queue) const {
    return queues_.at(queue)->observer.log();
}

void SimDevice::clear_log() {
    for (const auto& queue : queues_) {
        queue->observer.clear_log();
    }
}

std::uint64_t SimDevice::access_violations() const noexcept {
    return (checker_ == nullptr) ? 0U : checker_->violations();
}

}  // namespace pianola::sim
