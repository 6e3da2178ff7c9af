#include "hal/devices/refdev/command_processor.h"

#include <cstring>

#include "hal/devices/refdev/costs/cost_model.h"
#include "hal/devices/refdev/kernels/kernel.h"
#include "hal/devices/refdev/queue_command.h"

namespace pianola::refdev {
namespace {

constexpr std::uint32_t kHalfRange = 0x8000'0000U;

// Of a launch or dispatch, whose kernel's id is the second-last word of the head; 0 of any other command.
[[nodiscard]] std::uint32_t kernel_id_of(WordSpan words) noexcept {
    const auto opcode = static_cast<Opcode>(words[0] & kOpcodeMask);
    const std::uint32_t dispatch_head_words = (opcode == Opcode::kDispatch) ? kDispatchHeadWords : 0U;
    const std::uint32_t head_words = (opcode == Opcode::kLaunch) ? kLaunchHeadWords : dispatch_head_words;
    return ((head_words != 0U) && (words.size() >= head_words)) ? words[head_words - 2U] : 0U;
}

}  // namespace

void CommandProcessor::reset() noexcept {
    stopped_ = false;
    position_ = 0U;
    sequence_ = 0U;
    trace_ = WordSpan{};
    trace_position_ = 0U;
    executed_ = 0U;
    digest_ = 0U;
    queue_digest_ = 0U;
    time_cycles_ = 0U;
    fault_address_ = 0U;
    needs_attention_ = false;
    cores_busy_ = false;
    cores_done_cycles_ = 0U;
    has_waited_ = false;
}

// Stops the queue permanently.
Progress CommandProcessor::stop(DeviceFault fault) noexcept {
    needs_attention_ = true;
    stopped_ = true;
    shared_.fault.fault = fault;
    shared_.fault.fault_command = executed_;
    shared_.fault.fault_address = fault_address_;
    shared_.fault.time_cycles = time_cycles_;
    shared_.stopped.store(1U, std::memory_order_release);
    return Progress::kStopped;
}

// Not inlined: the unobserved path pays nothing for it.
[[gnu::noinline]] void CommandProcessor::report(WordSpan words, std::uint64_t start_cycles,
                                                DeviceFault fault) noexcept {
    const auto opcode = static_cast<Opcode>(words[0] & kOpcodeMask);
    std::uint64_t from_cycles = start_cycles;
    std::uint64_t to_cycles = time_cycles_;
    std::uint32_t core = kNoCore;
    if ((opcode == Opcode::kDispatch) && (fault == DeviceFault::kNone)) {
        core = words[1];
        from_cycles = core_start_cycles_;
        to_cycles = cores_since_cycles_ + core_free_cycles_[core];
    }
    // Without constants: for an initialiser with constants, GCC clears the whole object before it sets the members.
    const ExecutedCommand executed{queue_,      executed_, opcode, kernel_id_of(words), fault, digest_,
                                   from_cycles, to_cycles, core};
    observer_->after(executed, words);
}

Progress CommandProcessor::step_queue() noexcept {
    const std::uint32_t available = shared_.published.load(std::memory_order_acquire) - position_;
    if (available == 0U) {
        return Progress::kIdle;
    }
    const std::uint32_t header = shared_.ring[position_ & kRingMask];
    const auto opcode = static_cast<Opcode>(header & kOpcodeMask);
    const std::uint32_t length_words = queue_command_words(opcode);
    // The ring wraps; a command is copied out so that later code sees it in one piece.
    std::array<std::uint32_t, kMaxQueueCommandWords> command{header_word(opcode, length_words)};
    CommandSums sums{first_term(sequence_), digest_};
    sums.add(0U, command[0]);
    for (std::uint32_t i = 1U; i < length_words; ++i) {
        const std::uint32_t word = shared_.ring[(position_ + i) & kRingMask];
        command[i] = word;
        sums.add(i, word);
    }
    const WordSpan words{command.data(), length_words};
    // Checked before the command is used: effects of a damaged, stale or duplicated command cannot be undone.
    if ((length_words == 0U) || (length_words > available) || ((header >> kCheckShift) != check_bits_of(sums.check))) {
        fault_address_ = 0U;
        return stop(DeviceFault::kUnknownCommand);
    }
    if ((opcode == Opcode::kWaitEvent) && (words[1] < kMaxEvents) && !event_reached(words[1], words[2])) {
        return Progress::kWaiting;
    }
    // Time of the command's own doorbell: it must not depend on what is published by the time this core gets here.
    const std::uint64_t doorbell_cycles = shared_.doorbell_cycles[doorbell_slot(position_)];
    time_cycles_ = (doorbell_cycles > time_cycles_) ? doorbell_cycles : time_cycles_;
    const std::uint64_t start_cycles = time_cycles_;
    if (observer_ != nullptr) {
        observer_->before(queue_, words);
    }
    fault_address_ = 0U;
    executed_ += 1U;
    sequence_ += 1U;
    position_ += length_words;
    digest_ = sums.digest;
    const DeviceFault fault = execute_queue_command(words);
    shared_.progress.store(executed_, std::memory_order_relaxed);
    if (observer_ != nullptr) {
        report(words, start_cycles, fault);
    }
    if ((opcode == Opcode::kNotify) && (fault == DeviceFault::kNone)) {
        publish_completion(words[1]);
    }
    shared_.consumed.store(position_, std::memory_order_release);  // after the completion: the driver relies on that
    return (fault == DeviceFault::kNone) ? Progress::kExecuted : stop(fault);
}

// Two versions, so that the unobserved path pays nothing.
template <bool kIsObserved>
Progress CommandProcessor::step_trace() noexcept {
    const auto left = static_cast<std::uint32_t>(trace_.size()) - trace_position_;
    const std::uint32_t header = (left > 0U) ? trace_[trace_position_] : 0U;
    const std::uint32_t length_words = length_words_of(header);
    if ((length_words == 0U) || (length_words > left) || ((header & kReservedMask) != 0U)) {
        return stop((left > 0U) ? DeviceFault::kUnknownCommand : DeviceFault::kTraceOverrun);
    }
    const WordSpan words{&trace_[trace_position_], length_words};
    [[maybe_unused]] const std::uint64_t start_cycles = has_waited_ ? waited_from_cycles_ : time_cycles_;
    if constexpr (kIsObserved) {
        has_waited_ = false;
        observer_->before(queue_, words);
    }
    executed_ += 1U;
    trace_position_ += length_words;
    const DeviceFault fault = execute_trace_command(words);
    shared_.progress.store(executed_, std::memory_order_relaxed);
    if constexpr (kIsObserved) {
        report(words, start_cycles, fault);
    }
    if (fault != DeviceFault::kNone) {
        return stop(fault);
    }
    return Progress::kExecuted;
}

Progress CommandProcessor::step_observed_trace() noexcept {
    return step_trace<true>();
}

Progress CommandProcessor::step() noexcept {
    if (needs_attention_ && attend()) {
        return Progress::kStopped;
    }
    if (trace_.empty()) {
        return step_queue();
    }
    return (observer_ == nullptr) ? step_trace<false>() : step_observed_trace();
}

DeviceFault CommandProcessor::execute_trace_command(WordSpan words) noexcept {
    const auto opcode = static_cast<Opcode>(words[0] & kOpcodeMask);
    if (opcode == Opcode::kLaunch) {  // the most frequent command
        return launch(words);
    }
    if (opcode == Opcode::kDispatch) {
        return dispatch(words);
    }
    digest_ = chain(digest_, words[0]);
    switch (opcode) {
        case Opcode::kCopy:
            return copy(words);
        case Opcode::kFill:
            return fill(words);
        case Opcode::kBarrier:
            time_cycles_ += shared_.costs.barrier;
            return DeviceFault::kNone;  // commands of one queue complete in order
        case Opcode::kEnd:
            time_cycles_ += shared_.costs.end;
            if (trace_position_ != trace_.size()) {
                return DeviceFault::kTraceOverrun;
            }
            trace_ = WordSpan{};
            digest_ = chain_wide(queue_digest_, digest_);
            return DeviceFault::kNone;
        case Opcode::kInvalid:
        case Opcode::kLaunch:
        case Opcode::kDispatch:
        case Opcode::kWrite:
        case Opcode::kRead:
        case Opcode::kReplay:
        case Opcode::kRecordEvent:
        case Opcode::kWaitEvent:
        case Opcode::kNotify:
        default:
            return DeviceFault::kUnknownCommand;
    }
}

// The kernel's id is the second-last word of the head.
template <std::uint32_t kHeadWords>
DeviceFault CommandProcessor::run_kernel(WordSpan words) noexcept {
    if (words.size() < kHeadWords) {
        return DeviceFault::kUnknownCommand;
    }
    const std::uint32_t kernel_id = words[kHeadWords - 2U];
    digest_ = chain(chain(digest_, words[0]), kernel_id);
    const Kernel* const kernel = find_kernel(kernel_id);
    if (kernel == nullptr) {
        return DeviceFault::kUnknownKernel;
    }
    const std::size_t argument_words = words.size() - kHeadWords;
    if (argument_words != kernel->argument_words) {
        return DeviceFault::kUnknownCommand;
    }
    const Status status = run(*kernel, words.subspan(kHeadWords, argument_words), memory_);
    if (!is_ok(status)) {
        return (status == Status::kRefused) ? DeviceFault::kBadArgument : DeviceFault::kBus;
    }
    return DeviceFault::kNone;
}

DeviceFault CommandProcessor::launch(WordSpan words) noexcept {
    const DeviceFault fault = run_kernel<kLaunchHeadWords>(words);
    if (fault == DeviceFault::kNone) {
        time_cycles_ += std::uint64_t{words[2]} + shared_.costs.launch;
    }
    return fault;
}

// The kernel runs at once, before the next command is read: the parallel work of cores is visible only in the device's
// time, because commands between two barriers do not conflict.
DeviceFault CommandProcessor::dispatch(WordSpan words) noexcept {
    if ((words.size() >= kDispatchHeadWords) && (words[1] >= kMaxCores)) {
        return DeviceFault::kBadArgument;
    }
    const DeviceFault fault = run_kernel<kDispatchHeadWords>(words);
    if (fault != DeviceFault::kNone) {
        return fault;
    }
    const std::uint32_t core = words[1];
    digest_ = chain(digest_, core);
    if (!cores_busy_) {
        needs_attention_ = true;
        cores_busy_ = true;
        core_free_cycles_.fill(0U);
        cores_since_cycles_ = time_cycles_;
    }
    const std::uint32_t on_core_cycles = shared_.costs.cores_are_parallel ? words[3] : 0U;
    time_cycles_ += std::uint64_t{shared_.costs.launch} + shared_.costs.dispatch + (words[3] - on_core_cycles);
    std::uint32_t& free_cycles = core_free_cycles_[core];
    const std::uint64_t free_at_cycles = cores_since_cycles_ + free_cycles;
    core_start_cycles_ = (time_cycles_ > free_at_cycles) ? time_cycles_ : free_at_cycles;
    const std::uint64_t busy_cycles = (core_start_cycles_ - cores_since_cycles_) + on_core_cycles;
    // Proved traces stay below kMaxScriptCycles; a damaged trace must not wrap.
    free_cycles = (busy_cycles > UINT32_MAX) ? UINT32_MAX : static_cast<std::uint32_t>(busy_cycles);
    const std::uint64_t done_cycles = cores_since_cycles_ + free_cycles;
    cores_done_cycles_ = (done_cycles > cores_done_cycles_) ? done_cycles : cores_done_cycles_;
    return DeviceFault::kNone;
}

void CommandProcessor::join_cores() noexcept {
    has_waited_ = true;
    waited_from_cycles_ = time_cycles_;
    time_cycles_ = (cores_done_cycles_ > time_cycles_) ? cores_done_cycles_ : time_cycles_;
    cores_busy_ = false;
    needs_attention_ = false;
}

// True if the queue has stopped. Every command of a trace except a dispatch waits for the cores.
bool CommandProcessor::attend() noexcept {
    const std::uint32_t header = (trace_position_ < trace_.size()) ? trace_[trace_position_] : 0U;
    if (!stopped_ && (static_cast<Opcode>(header & kOpcodeMask) != Opcode::kDispatch)) {
        join_cores();
    }
    return stopped_;
}

DeviceFault CommandProcessor::copy(WordSpan words) noexcept {
    if (words.size() != kCopyWords) {
        return DeviceFault::kUnknownCommand;
    }
    std::uint8_t* const destination = memory_.writable(words[1], words[3]);
    const std::uint8_t* const source = memory_.readable(words[2], words[3]);
    if ((destination == nullptr) || (source == nullptr)) {
        fault_address_ = (destination == nullptr) ? words[1] : words[2];
        return DeviceFault::kBus;
    }
    // Only copies of damaged traces overlap. Libraries' memmove() moves what is not aligned byte by byte.
    const std::uint32_t distance = words[1] - words[2];
    if ((distance >= words[3]) && ((0U - distance) >= words[3])) {
        std::memcpy(destination, source, words[3]);
    } else {
        std::memmove(destination, source, words[3]);
    }
    time_cycles_ += move_cost(shared_.costs.copy, words[3]);
    return DeviceFault::kNone;
}

DeviceFault CommandProcessor::fill(WordSpan words) noexcept {
    if ((words.size() != kFillWords) || (words[3] > UINT8_MAX)) {
        return DeviceFault::kUnknownCommand;
    }
    std::uint8_t* const destination = memory_.writable(words[1], words[2]);
    if (destination == nullptr) {
        fault_address_ = words[1];
        return DeviceFault::kBus;
    }
    std::memset(destination, static_cast<std::int32_t>(words[3]), words[2]);
    time_cycles_ += move_cost(shared_.costs.fill, words[2]);
    return DeviceFault::kNone;
}

// The copy may already be a later record's, whose counter is not yet written: not reached for now.
bool CommandProcessor::event_reached(std::uint32_t event, std::uint32_t value) const noexcept {
    const std::uint32_t counter = events_[event].counter.load(std::memory_order_acquire);
    return (counter == events_[event].copy.load(std::memory_order_relaxed)) && ((counter - value) < kHalfRange);
}

void CommandProcessor::publish_completion(std::uint32_t token) noexcept {
    Completion& completion = shared_.completions[token % kMaxStepsInFlight];
    completion.token = token;
    completion.executed_commands = executed_;
    completion.digest = digest_;
    completion.time_cycles = time_cycles_;
    shared_.completed_token.store(token, std::memory_order_release);
}

}  // namespace pianola::refdev
