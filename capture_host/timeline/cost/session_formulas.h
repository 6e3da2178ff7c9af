// Formulas: what the parts of a session's calls do at most, as counts of one binary. session_cost.cpp adds them up to
// calls.
#pragma once

#include <algorithm>
#include <cstdint>

#include "capture_host/timeline/cost/session_cost.h"
#include "pianola/config.h"

namespace pianola::timing {

inline constexpr std::uint64_t kChunkBytes = 64U;
inline constexpr std::uint64_t kMostPieces = 64U;  // of a slice: each takes a 64th of it at least

inline void add(Counts& counts, Term term, std::uint64_t value) {
    counts.at(static_cast<std::size_t>(term)) += value;
}

inline void add(Counts& counts, const Counts& others, std::uint64_t times = 1U) {
    for (std::size_t i = 0U; i < kTermCount; ++i) {
        counts.at(i) += others.at(i) * times;
    }
}

// The formulas of one binary: parts that calls are made of, in the order in which a step meets them.
class Formulas {
  public:
    explicit Formulas(const SessionFacts& facts) : f_{facts} {}

    // What a call begins with.
    [[nodiscard]] Counts check() const {
        Counts counts{};
        add(counts, Term::kCall, 1U);
        seal(counts, f_.bound_bytes + f_.loaded_bytes + f_.running_bytes);
        return counts;
    }
    // What a call that has changed something ends with.
    [[nodiscard]] Counts reseal() const {
        Counts counts{};
        seal(counts, f_.running_bytes);
        return counts;
    }

    // All of a script into the queues, with its notifications, and the doorbells.
    [[nodiscard]] Counts enqueue(const ScriptFacts& script, std::uint64_t left_out) const {
        Counts counts{};
        const std::uint64_t commands = script.commands - left_out + script.notifications;
        add(counts, Term::kEnqueue, commands);
        add(counts, Term::kSealCommand, commands);
        add(counts, Term::kDoorbell, script.notifications);
        return counts;
    }
    [[nodiscard]] Counts submit_script(const ScriptFacts& script, std::uint64_t bindings) const {
        Counts counts = check();
        add(counts, Term::kNow, 1U);
        add(counts, give_views());
        add(counts, Term::kBind, bindings);
        add(counts, Term::kBound, bindings);
        seal(counts, f_.bound_bytes);
        add(counts, enqueue(script, 0U));
        add(counts, reseal());
        return counts;
    }
    [[nodiscard]] Counts submit_views() const {
        Counts counts = check();
        add(counts, Term::kNow, 1U);
        add(counts, give_views());
        add(counts, enqueue(f_.step, f_.step.transfers));
        add(counts, reseal());
        return counts;
    }
    [[nodiscard]] Counts submit_transfers() const { return submit_script(f_.step, f_.input_pieces + f_.output_pieces); }
    [[nodiscard]] Counts start() const { return submit_script(f_.prologue, f_.is_pipelined ? f_.input_pieces : 0U); }
    [[nodiscard]] Counts stop() const { return submit_script(f_.epilogue, f_.is_pipelined ? f_.output_pieces : 0U); }

    // One slice of the comparison of constants.
    [[nodiscard]] Counts slice() const {
        Counts counts{};
        const std::uint64_t pieces = std::min(f_.kept_pieces, kMostPieces);
        const std::uint64_t bytes = std::min<std::uint64_t>(f_.kept_bytes, kScrubSliceBytes);
        const bool reads = !f_.sees_memory || (f_.patch_points != 0U);
        add(counts, Term::kPieces, pieces);
        add(counts, Term::kHostView, pieces);
        add(counts, Term::kComparedBytes, bytes);
        if (f_.sees_memory) {
            add(counts, Term::kTake, pieces);
            add(counts, Term::kViewBytes, bytes);
        }
        if (reads) {
            add(counts, chunks(bytes, pieces));
        }
        return counts;
    }
    // What is not equal is read back once more, to say where.
    [[nodiscard]] Counts differing_piece() const {
        return f_.sees_memory ? chunks(std::min<std::uint64_t>(f_.kept_bytes, kScrubSliceBytes), 1U) : Counts{};
    }

    // A look at devices.
    [[nodiscard]] Counts look(std::uint64_t notifications) const {
        Counts counts{};
        add(counts, Term::kService, f_.devices);
        add(counts, Term::kCompletion, notifications);
        add(counts, Term::kNow, 1U);
        return counts;
    }
    // What belongs to a script that has completed, and is the application's again.
    [[nodiscard]] Counts release() const {
        Counts counts{};
        const std::uint64_t bindings = f_.input_pieces + f_.output_pieces;
        add(counts, Term::kBind, bindings);
        add(counts, Term::kBound, bindings);
        seal(counts, f_.bound_bytes);
        add(counts, Term::kNow, (f_.steps_in_flight > 1U) ? 1U : 0U);
        if (f_.has_views) {
            add(counts, Term::kTake, f_.inputs + f_.outputs);
            add(counts, Term::kViewBytes, f_.input_bytes + f_.output_bytes);
        }
        add(counts, Term::kWatchdog, 1U);
        return counts;
    }
    // The longest poll() completes a step, compares a slice, and releases.
    [[nodiscard]] Counts poll() const {
        Counts counts = check();
        add(counts, look(most_notifications()));
        if (f_.verifies) {
            add(counts, slice());
        }
        add(counts, release());
        add(counts, reseal());
        return counts;
    }
    [[nodiscard]] Counts wait(std::uint64_t idle_rounds) const {
        const std::uint64_t slices = f_.verifies ? std::max<std::uint64_t>(f_.slices, 1U) : 1U;
        Counts counts{};
        add(counts, check(), idle_rounds + slices);
        add(counts, reseal(), idle_rounds + slices);
        add(counts, look(most_notifications()), idle_rounds + 1U);
        add(counts, look(0U), slices - 1U);
        add(counts, Term::kIdle, idle_rounds);
        if (f_.verifies) {
            add(counts, all_slices());
        }
        add(counts, release());
        return counts;
    }
    [[nodiscard]] Counts all_slices() const {
        Counts counts{};
        const std::uint64_t pieces = f_.kept_pieces + f_.slices;  // a slice may end within one
        const bool reads = !f_.sees_memory || (f_.patch_points != 0U);
        add(counts, Term::kPieces, pieces);
        add(counts, Term::kHostView, pieces);
        add(counts, Term::kComparedBytes, f_.kept_bytes);
        if (f_.sees_memory) {
            add(counts, Term::kTake, pieces);
            add(counts, Term::kViewBytes, f_.kept_bytes);
        }
        if (reads) {
            add(counts, chunks(f_.kept_bytes, pieces));
        }
        return counts;
    }

    [[nodiscard]] Counts run(std::uint64_t idle_rounds) const {
        Counts counts = check();
        add(counts, submit_transfers());
        add(counts, wait(idle_rounds));
        if (f_.has_prologue) {
            add(counts, start());
            add(counts, wait(idle_rounds));
        }
        if (f_.is_pipelined) {
            add(counts, stop());
            add(counts, wait(idle_rounds));
        }
        return counts;
    }
    [[nodiscard]] Counts reset_state(std::uint64_t idle_rounds) const {
        Counts counts = check();
        if (keeps_state()) {
            add(counts, stop());
            add(counts, start());
            add(counts, wait(idle_rounds), 2U);
        }
        return counts;
    }
    // Of the vectors before and at `end`: steps between two resets of state, or one by one.
    [[nodiscard]] Counts self_test(std::uint64_t vectors, std::uint64_t idle_rounds) const {
        Counts counts = check();
        seal(counts, f_.bound_bytes + f_.loaded_bytes + f_.running_bytes);  // output_bytes()
        if (keeps_state()) {
            add(counts, reset_state(idle_rounds), 2U);
        }
        add(counts, run(idle_rounds), vectors);
        add(counts, Term::kComparedBytes, vectors * f_.output_bytes);
        add(counts, reseal());
        return counts;
    }

    [[nodiscard]] Counts load(std::uint64_t idle_rounds) const {
        constexpr std::uint64_t kValidations = 2U;
        constexpr std::uint64_t kBytesShown = 2U;  // of a view: the first and the last
        constexpr std::uint64_t kValues = 3U;      // that each is given
        Counts counts{};
        add(counts, Term::kCall, 1U);
        add(counts, Term::kStates, 1U);
        add(counts, Term::kNow, 2U);
        add(counts, Term::kDescribe, 1U + (kValidations * (f_.devices - 1U)));
        add(counts, Term::kCounter, kValidations);
        add(counts, Term::kValidations, kValidations);
        add(counts, Term::kDigestedBytes, (kValidations + 1U) * f_.digested_bytes);
        add(counts, Term::kReset, f_.devices);
        add(counts, Term::kProgramRegion, f_.devices * f_.regions);
        add(counts, Term::kProgrammedRegion, f_.devices * f_.regions);
        add(counts, Term::kBind, f_.devices * 2U);
        add(counts, enqueue(f_.setup, 0U));
        add(counts, look(f_.setup.notifications), idle_rounds + 1U);
        add(counts, Term::kIdle, idle_rounds);
        add(counts, Term::kPieces, f_.file_pieces + f_.reads_at_load);
        add(counts, Term::kRangeLooks, f_.file_pieces * f_.ranges * 2U);
        add(counts, Term::kReadBack, f_.reads_at_load);
        add(counts, Term::kReadBackBytes, f_.bytes_at_load);
        add(counts, Term::kComparedBytes, f_.bytes_at_load);
        seal(counts, (f_.bound_bytes * 3U) + f_.loaded_bytes + f_.running_bytes);
        if (f_.admits_views) {
            const std::uint64_t tries = f_.has_views ? f_.step.transfers * kBytesShown * kValues : 0U;
            add(counts, Term::kHostView, f_.step.transfers);
            add(counts, Term::kGive, tries);
            add(counts, Term::kViewBytes, tries);
            add(counts, Term::kReadBack, tries);
            add(counts, Term::kReadBackBytes, tries);
            add(counts, Term::kZeroedBytes, f_.has_views ? f_.input_bytes : 0U);
        }
        return counts;
    }

    [[nodiscard]] Counts set_parameters(std::uint64_t values) const {
        Counts counts = check();
        // Each point is one parameter's; of one that is named again all of its own are set again.
        const std::uint64_t words = f_.devices * f_.patch_points *
                                    std::max<std::uint64_t>((values + std::max<std::uint64_t>(f_.parameters, 1U) - 1U) /
                                                                std::max<std::uint64_t>(f_.parameters, 1U),
                                                            1U);
        add(counts, Term::kPatchWord, words);
        add(counts, Term::kReadBack, words);
        add(counts, Term::kReadBackBytes, words * sizeof(std::uint32_t));
        add(counts, reseal());
        return counts;
    }

    [[nodiscard]] Counts fault() const {
        Counts counts{};
        add(counts, Term::kRecords, 1U);
        add(counts, Term::kNow, 1U);
        add(counts, Term::kReset, f_.devices);
        add(counts, Term::kSafeState, 1U);
        seal(counts, f_.bound_bytes * 2U);
        return counts;
    }

  private:
    void seal(Counts& counts, std::uint64_t bytes) const { add(counts, Term::kSealedBytes, f_.verifies ? bytes : 0U); }
    [[nodiscard]] bool keeps_state() const { return f_.has_prologue && !f_.is_pipelined; }
    [[nodiscard]] std::uint64_t most_notifications() const {
        return std::max({f_.step.notifications, f_.prologue.notifications, f_.epilogue.notifications});
    }
    [[nodiscard]] Counts give_views() const {
        Counts counts{};
        if (f_.has_views) {
            add(counts, Term::kGive, f_.inputs);
            add(counts, Term::kViewBytes, f_.input_bytes);
        }
        return counts;
    }
    // The last chunk of each piece may be a part of one.
    [[nodiscard]] Counts chunks(std::uint64_t bytes, std::uint64_t pieces) const {
        Counts counts{};
        const std::uint64_t reads = (bytes / kChunkBytes) + pieces;
        add(counts, Term::kReadBack, reads);
        add(counts, Term::kReadBackBytes, bytes);
        add(counts, Term::kPointLooks, reads * f_.patch_points);
        return counts;
    }

    const SessionFacts& f_;
};

}  // namespace pianola::timing
