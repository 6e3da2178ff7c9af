// AccessChecker: holds every command to its published extents.
//
// Place in the whole: the simulator's independent witness for the proof that the runtime makes at load. The proof says
// what a command may touch; this sees what it does touch.
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

    explicit AccessChecker(std::vector<Memory> memories);
    ~AccessChecker();
    AccessChecker(const AccessChecker&) = delete;
    AccessChecker& operator=(const AccessChecker&) = delete;

    // words is one trace command. Between the two calls only the command's extents can be touched: AddressSanitizer,
    // where the program is built with it, stops at anything else.
    void before(WordSpan words);
    // Compares all memory with what it was, but for the write extents.
    void after();
    // Memory was changed by something else than a trace command.
    void refresh();

    [[nodiscard]] std::uint64_t violations() const noexcept { return violations_; }

  private:
    void guard(bool closed);
    void open(const Extent& extent);

    std::vector<Memory> memories_;
    std::vector<std::vector<std::uint8_t>> snapshots_;
    refdev::RefdevCommandSet command_set_;
    ExtentList extents_;
    std::uint64_t violations_{0U};
};

}  // namespace pianola::sim
