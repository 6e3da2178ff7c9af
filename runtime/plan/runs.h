// Runs: the extents of a command as runs of bytes.
//
// Place in the whole: how the proofs look at strided extents. Runs that touch or overlap become one. Of an extent with
// more than kMaxRunsPerExtent runs there is one that stands for all: the hull, from the first byte to the last. What it
// holds beyond the extent makes the proofs refuse more, never less, as long as it does not count as written. The same
// holds of an extent that a parameter moves: its run is all places that it may have.
#pragma once

#include "pianola/plan.h"

namespace pianola::proof {

// A command of a trace.
struct TraceCommand {
    TraceCommand() noexcept;  // out of line: many words to set

    DecodedCommand decoded;     // where declared parameters patch it: with their lowest values
    std::uint32_t patched{0U};  // words that parameters set
    // How far a parameter moves each extent, from its lowest value to its highest.
    std::array<std::uint32_t, kMaxExtentsPerCommand> moved_bytes{};
};

class Runs {
  public:
    explicit Runs(const TraceCommand& command) noexcept;  // out of line, as above

    // Moves to the next run, at first to the first one. False where there is none.
    [[nodiscard]] bool next() noexcept;
    // Where it has moved to: what the command may touch.
    [[nodiscard]] const ByteRun& run() const noexcept { return run_; }  // NOLINT(pianola-misra-6.8.4): DEV-067
    // What of it the command touches whatever the value of a parameter; of 0 bytes where that is not certain.
    [[nodiscard]] ByteRun certain() const noexcept;

  private:
    // strides.cpp: the first, or the next, run of an extent that is not the usual one. Apart, so that the usual one
    // pays nothing for it.
    void go_on(const Extent& extent) noexcept;
    void begin_many(const Extent& extent) noexcept;
    void move() noexcept;

    const TraceCommand& command_;
    Span<const Extent> extents_;
    std::uint32_t begun_{0U};  // extents
    ByteRun run_;
    std::uint32_t left_{0U};  // runs of the extent behind this one
    std::uint32_t moved_bytes_{0U};
    bool is_exact_{false};             // one run is the extent, or one of several
    std::uint32_t first_address_{0U};  // where there are several: of the extent
    Repeat inner_;
    Repeat outer_;
    std::uint32_t inner_done_{0U};
    std::uint32_t outer_done_{0U};
};

}  // namespace pianola::proof
