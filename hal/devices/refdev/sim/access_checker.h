// AccessChecker: holds every command to its published extents.
//
// Place in the whole: the simulator's independent witness for the proof that the runtime makes at load. The proof says
// what a command may touch; this sees what it does touch. A byte that changed elsewhere is found before a later command
// reads or writes it, or at the end of the step: only there all memory is compared, so that the time for a step grows
// with what its commands touch.
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

    explicit AccessChecker(const std::vector<Memory>& memories);
    ~AccessChecker();
    AccessChecker(const AccessChecker&) = delete;
    AccessChecker& operator=(const AccessChecker&) = delete;

    // words is one command, of a queue or of a trace. Until end_command() one of a trace can touch its extents only:
    // AddressSanitizer, where the program is built with it, stops at anything else.
    void begin_command(WordSpan words, bool is_of_trace);
    void end_command();
    // Compares all memory with what it was. What changes from here to the next command, the host has changed.
    void end_step();
    // The host has changed memory: all, or a part of it.
    void refresh();
    void refresh(ByteSpan part);

    // How often memory was found changed that no command had in its write extents.
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
