// AccessChecker: checks every command against its published extents.
//
// The simulator's independent check of the proof that the runtime makes at load. The proof says what a command may
// touch; this records what it touches. A byte that changed elsewhere is found before a later command reads or writes
// it, or at the end of the step: all memory is compared only there, so that the time for a step is proportional to the
// bytes that its commands touch.
#pragma once

#include <cstdint>
#include <vector>

#include "hal/devices/refdev/refdev_command_set.h"
#include "pianola/span.h"

namespace pianola::sim {

class AccessChecker {
  public:
    struct Memory {
        std::uint32_t base;
        std::vector<std::uint8_t>* bytes;
    };

    AccessChecker(const std::vector<Memory>& memories, const refdev::CostModel& costs);
    ~AccessChecker();
    AccessChecker(const AccessChecker&) = delete;
    AccessChecker& operator=(const AccessChecker&) = delete;

    // words is one command, of a queue or of a trace. Until end_command() a command of a trace can touch only its
    // extents: AddressSanitizer, if the program is built with it, stops at any other access.
    void begin_command(WordSpan words, bool is_of_trace);
    void end_command();
    // Compares all memory with its earlier contents. Changes between this call and the next command are the host's.
    void end_step();
    // The host has changed all or part of the memory.
    void refresh();
    void refresh(ByteSpan part);

    // Number of times that memory outside every command's write extents was found changed.
    [[nodiscard]] std::uint64_t violations() const noexcept { return violations_; }

  private:
    struct Watched {
        Memory memory;
        std::vector<std::uint8_t> snapshot;
    };

    void guard(bool closed);
    void find_extents(WordSpan words);
    void compare(Watched& watched, std::size_t offset, std::size_t count);

    std::vector<Watched> watched_;
    refdev::RefdevCommandSet command_set_;
    ExtentList extents_;
    std::uint64_t violations_{0U};
    bool is_between_steps_{true};
};

}  // namespace pianola::sim
