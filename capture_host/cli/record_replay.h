// Records of `pianola run`: each is replayed by itself and held to what was proved, on one device or, with --jobs, on
// several side by side.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pianola_host/replay.h"

namespace pianola::cli {

// What all records of a run have in common.
struct RecordOptions {
    std::uint32_t repeats{1U};  // of each record; outputs must be equal
    bool on_views{false};       // zero-copy I/O
    bool measures{true};        // the devices have time
};

// A loaded replay that takes one record after another.
class RecordReplay {
  public:
    // `replay` must outlive it.
    RecordReplay(replay::Replay& replay, const RecordOptions& options) : replay_{replay}, options_{options} {}

    // The outputs. Throws CliError with kReplayFault, replay::Stopped.
    [[nodiscard]] replay::Tensors replay(std::uint32_t record, const replay::Tensors& inputs);

    [[nodiscard]] std::uint64_t step_cycles() const noexcept { return step_cycles_; }  // of the first step; 0 before it
    [[nodiscard]] std::uint64_t cycles() const noexcept { return cycles_; }            // of all steps

  private:
    void run_on_views(const replay::Tensors& inputs, replay::Tensors& outputs);
    void check_step(std::uint32_t record, std::uint64_t cycles);

    replay::Replay& replay_;
    RecordOptions options_;
    std::uint64_t step_cycles_{0U};
    std::uint64_t cycles_{0U};
};

// Throws CliError with kReplayFault if a command has touched bytes outside its extents.
void check_accesses(const replay::Replay& replay, const std::string& where);

// Why the records of this loaded binary must be replayed in order on one device; empty if they need not.
[[nodiscard]] std::string why_in_order(const replay::Replay& replay);

// Makes another replay of the same binary, loaded and with the same parameters. Called from several threads.
using MakeReplay = std::function<std::unique_ptr<replay::Replay>()>;

// The same outputs, and the same error, as from one device: that of the first record that fails.
struct SideBySide {
    std::vector<replay::Tensors> outputs;  // of each record
    std::uint64_t step_cycles{0U};         // of the first record's first step
    std::uint64_t cycles{0U};              // of all steps
    std::uint64_t steps{0U};               // of the replays that were made
};
// Replays all records on `first`, which takes the first one, and on up to `jobs` - 1 other replays, in a thread each.
// `why_in_order` is empty for the binary. `done` is called after each record, by one thread at a time. Throws what
// RecordReplay and `make` throw.
[[nodiscard]] SideBySide replay_side_by_side(replay::Replay& first, const std::vector<replay::Tensors>& inputs,
                                             const RecordOptions& options, std::uint32_t jobs, const MakeReplay& make,
                                             const std::function<void(std::size_t done)>& done);

}  // namespace pianola::cli
