// Runs: the extents of a command as runs of bytes.
//
// The proofs' view of strided extents. Runs that touch or overlap are merged. An extent with more than
// kMaxRunsPerExtent runs is represented by its hull, from the first byte to the last. The additional bytes make the
// proofs refuse more, never less, as long as they do not count as written. The same holds for an extent that a
// parameter moves: its run covers all its possible positions.
#pragma once

#include "pianola/plan.h"

namespace pianola::proof {

// A command of a trace.
struct TraceCommand {
    TraceCommand() noexcept;  // out of line: many words to set

    DecodedCommand decoded;     // with the lowest values of parameters that patch it
    std::uint32_t patched{0U};  // words that parameters set
    // How far a parameter moves each extent, from its lowest value to its highest.
    std::array<std::uint32_t, kMaxExtentsPerCommand> moved_bytes{};
};

class Runs {
  public:
    explicit Runs(const TraceCommand& command) noexcept;  // out of line, as above

    // Moves to the next run, at first to the first one. False if there is none.
    [[nodiscard]] bool next() noexcept;
    // The current run: bytes that the command may touch.
    [[nodiscard]] const ByteRun& run() const noexcept { return run_; }  // NOLINT(pianola-misra-6.8.4): DEV-067
    // The part that the command touches for every value of a parameter; 0 bytes if that is not certain.
    [[nodiscard]] ByteRun certain() const noexcept;

  private:
    // strides.cpp: the first, or the next, run of a strided extent. Separate, so that dense extents pay nothing for it.
    void go_on(const Extent& extent) noexcept;
    void begin_many(const Extent& extent) noexcept;
    void move() noexcept;

    const TraceCommand& command_;
    Span<const Extent> extents_;
    std::uint32_t begun_{0U};  // extents
    ByteRun run_;
    std::uint32_t left_{0U};  // runs of the extent after this one
    std::uint32_t moved_bytes_{0U};
    bool is_exact_{false};             // one run is the extent, or one of several
    std::uint32_t first_address_{0U};  // of the extent, if there are several
    Repeat inner_;
    Repeat outer_;
    std::uint32_t inner_done_{0U};
    std::uint32_t outer_done_{0U};
};

}  // namespace pianola::proof
