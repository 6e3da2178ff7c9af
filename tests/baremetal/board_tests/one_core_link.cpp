#include "tests/baremetal/board_tests/one_core_link.h"

#include <algorithm>
#include <cstring>

namespace pianola::baremetal {

WordSpan CommandCursor::next(const refdev::SharedState& shared) noexcept {
    if (!trace_.empty()) {
        next_ = trace_.subspan(0U, refdev::length_words_of(trace_[0]));
        return next_;
    }
    const refdev::QueueMemory& queue = shared.queues[0];
    const std::uint32_t first = queue.consumed.load(std::memory_order_relaxed);
    next_ = WordSpan{};
    if (first == queue.published.load(std::memory_order_relaxed)) {
        return next_;
    }
    const auto opcode = static_cast<refdev::Opcode>(queue.ring[first & refdev::kRingMask] & refdev::kOpcodeMask);
    const std::uint32_t words = refdev::queue_command_words(opcode);
    for (std::uint32_t i = 0U; i < words; ++i) {
        queue_command_[i] = queue.ring[(first + i) & refdev::kRingMask];
    }
    queue_command_[0] = refdev::header_word(opcode, words);
    next_ = WordSpan{queue_command_.data(), words};
    return next_;
}

void CommandCursor::advance(WordSpan trace) noexcept {
    if (!trace_.empty()) {
        trace_ = trace_.subspan(next_.size(), trace_.size() - next_.size());
    } else {
        trace_ = trace;
    }
}

Status OneCoreLink::service() noexcept {
    if (!is_counting_) {
        device_.step_uncounted();
        return Status::kOk;
    }
    const bool is_kept = !kept_.empty();
    const WordSpan command = is_kept ? cursor_.next(shared_) : WordSpan{};
    const std::uint32_t before = shared_.queues[0].progress.load(std::memory_order_relaxed);
    device_.step();
    const bool has_executed = shared_.queues[0].progress.load(std::memory_order_relaxed) != before;
    if (is_kept) {
        keep(has_executed ? command : WordSpan{});
    }
    return Status::kOk;
}

void OneCoreLink::keep(WordSpan command) noexcept {
    keep_word(static_cast<std::uint32_t>(command.size()));
    for (const std::uint32_t word : command) {
        keep_word(word);
    }
    if (command.empty()) {
        return;
    }
    WordSpan trace;
    if (static_cast<refdev::Opcode>(command[0] & refdev::kOpcodeMask) == refdev::Opcode::kReplay) {
        const std::uint8_t* const words = memory_at(command[1], command[2]);
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-005
        trace = WordSpan{reinterpret_cast<const std::uint32_t*>(words), command[2] / sizeof(std::uint32_t)};
    }
    cursor_.advance(trace);
}

void OneCoreLink::keep_word(std::uint32_t word) noexcept {
    const MutableByteSpan place = kept_.subspan(kept_bytes_, sizeof(word));
    if (place.empty()) {
        has_kept_all_ = false;
        return;
    }
    std::memcpy(place.data(), &word, sizeof(word));
    kept_bytes_ += sizeof(word);
}

}  // namespace pianola::baremetal
