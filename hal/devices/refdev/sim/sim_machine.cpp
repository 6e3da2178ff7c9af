#include "hal/devices/refdev/sim/sim_machine.h"

#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

#include "hal/devices/refdev/command_encoding.h"
#include "hal/devices/refdev/device_core.h"
#include "hal/devices/refdev/sim/access_checker.h"

namespace pianola::sim {
namespace {

using refdev::Opcode;

[[nodiscard]] bool is_trace_command(Opcode opcode) noexcept {
    return (opcode == Opcode::kLaunch) || (opcode == Opcode::kDispatch) || (opcode == Opcode::kCopy) ||
           (opcode == Opcode::kFill) || (opcode == Opcode::kBarrier) || (opcode == Opcode::kEnd);
}

// Checks commands against their extents, and keeps the logs.
class QueueObserver final : public refdev::CommandObserver {
  public:
    QueueObserver(AccessChecker* checker, const SimOptions& options, refdev::ExecutionLog& execution_log)
        : checker_{checker}, options_{options}, execution_log_{execution_log} {}

    void before(std::uint32_t /*queue*/, WordSpan words) noexcept override {
        if (checker_ != nullptr) {
            checker_->begin_command(words, is_trace_command(static_cast<Opcode>(words[0] & refdev::kOpcodeMask)));
        }
    }
    void after(const refdev::ExecutedCommand& executed, WordSpan words) noexcept override {
        if (checker_ != nullptr) {
            checker_->end_command();
            if ((executed.opcode == Opcode::kNotify) || (executed.fault != DeviceFault::kNone)) {
                checker_->end_step();
            }
        }
        if (options_.keep_completions && (executed.opcode == Opcode::kNotify) &&
            (executed.fault == DeviceFault::kNone)) {
            const std::lock_guard<std::mutex> lock{completions_mutex_};
            completions_.push_back({words[1], executed.end_cycles});
        }
        if (options_.keep_log) {
            log_.push_back(executed);
        }
        if (options_.keep_execution_log) {
            execution_log_.append(executed);
        }
    }

    [[nodiscard]] bool is_needed() const noexcept {
        return (checker_ != nullptr) || options_.keep_log || options_.keep_completions || options_.keep_execution_log;
    }
    [[nodiscard]] const std::vector<refdev::ExecutedCommand>& log() const noexcept { return log_; }
    void clear_log() { log_.clear(); }
    [[nodiscard]] std::vector<CompletedToken> take_completions() {
        const std::lock_guard<std::mutex> lock{completions_mutex_};
        return std::exchange(completions_, {});
    }

  private:
    AccessChecker* checker_;
    const SimOptions& options_;
    refdev::ExecutionLog& execution_log_;
    std::vector<refdev::ExecutedCommand> log_;
    std::mutex completions_mutex_;
    std::vector<CompletedToken> completions_;
};

}  // namespace

struct SimMachine::Queue {
    Queue(std::uint32_t index, SimMachine& machine)
        : observer{machine.checker_.get(), machine.options_, machine.shared_->logs.at(index)},
          core{index, *machine.shared_, observer.is_needed() ? &observer : nullptr} {}

    QueueObserver observer;
    refdev::DeviceCore core;
    std::thread thread;
};

SimMachine::SimMachine(const SimOptions& options)
    : options_{options},
      shared_{std::make_unique<refdev::SharedState>()},
      dram_(options.spec.dram_bytes),
      l1_(options.spec.l1_bytes) {
    if (!options_.time) {
        options_.time = std::make_shared<SimTime>();
    }
    if (options_.check_accesses && (options_.threading == Threading::kInProcess)) {
        checker_ = std::make_unique<AccessChecker>(
            std::vector<AccessChecker::Memory>{{options_.spec.dram_base, &dram_}, {options_.spec.l1_base, &l1_}},
            *options_.spec.cost_model);
    }
    for (std::uint32_t i = 0U; i < options_.spec.queue_count; ++i) {
        queues_.push_back(std::make_unique<Queue>(i, *this));
    }
    if (options_.threading == Threading::kThreaded) {
        for (const auto& queue : queues_) {
            queue->thread = std::thread{[this, &queue] { run_queue(*queue); }};
        }
    }
}

SimMachine::~SimMachine() {
    stop_.store(true, std::memory_order_relaxed);
    for (const auto& queue : queues_) {
        if (queue->thread.joinable()) {
            queue->thread.join();
        }
    }
}

void SimMachine::run_queue(Queue& queue) {
    while (!stop_.load(std::memory_order_relaxed)) {
        if (queue.core.step() == refdev::Progress::kExecuted) {
            options_.time->moves.fetch_add(1U, std::memory_order_relaxed);
        } else {
            std::this_thread::yield();
        }
    }
}

std::uint8_t* SimMachine::memory_at(std::uint32_t address, std::uint32_t size_bytes) noexcept {
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

Status SimMachine::service() noexcept {
    if (options_.threading == Threading::kThreaded) {
        return Status::kOk;
    }
    // Advances every queue until none makes progress. Terminates: rings and traces are finite.
    bool moved = true;
    while (moved) {
        moved = false;
        for (const auto& queue : queues_) {
            while (queue->core.step() == refdev::Progress::kExecuted) {
                moved = true;
            }
        }
    }
    return Status::kOk;
}

void SimMachine::relax() noexcept {
    std::this_thread::yield();
}

std::uint64_t SimMachine::now_us() noexcept {
    const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(since_start).count());
}

const std::vector<refdev::ExecutedCommand>& SimMachine::log(std::uint32_t queue) const {
    return queues_.at(queue)->observer.log();
}

void SimMachine::clear_log() {
    for (const auto& queue : queues_) {
        queue->observer.clear_log();
    }
}

std::vector<CompletedToken> SimMachine::take_completions(std::uint32_t queue) {
    return queues_.at(queue)->observer.take_completions();
}

std::uint64_t SimMachine::access_violations() const noexcept {
    return (checker_ == nullptr) ? 0U : checker_->violations();
}

void SimMachine::refresh_checker() {
    if (checker_ != nullptr) {
        checker_->refresh();
    }
}

void SimMachine::refresh_checker(ByteSpan part) {
    if (checker_ != nullptr) {
        checker_->refresh(part);
    }
}

}  // namespace pianola::sim
