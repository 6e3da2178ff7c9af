// SessionFacts: what the cost of a session's calls depends on, as numbers of one binary and one runtime.
//
// The only input of the formulas in session_cost.h. Gathered from a plan, so that a test that drives a session and
// `pianola size`, which only reads a file, get the same numbers.
#pragma once

#include <cstdint>

#include "pianola/envelope.h"
#include "pianola/plan.h"
#include "pianola/scrub.h"

namespace pianola::timeline {

inline constexpr std::uint64_t kChunkBytes = 128U;  // that a comparison reads back at once

// What the runtime was built with and how it is configured: nothing of it is the binary's.
struct RuntimeFacts {
    const Capacities* capacities{&kCapacities};
    std::uint32_t pointer_bytes{4U};
    bool verifies{true};      // not at completion: state is sealed, and constants are verified before a release
    bool shares{false};       // Release::kWithinInterval: a step verifies everything only where it is late
    bool sees_memory{false};  // the ECU core sees device memory: constants are summed in place
};

// One script, summed over all devices.
struct ScriptFacts {
    std::uint64_t commands{0U};
    std::uint64_t transfers{0U};      // of the commands; left out where a step works on views
    std::uint64_t notifications{0U};  // queues that it uses
};

struct SessionFacts {
    bool verifies{true};
    bool shares{false};
    bool sees_memory{false};
    bool admits_views{false};  // the plan does
    bool has_views{false};     // and the core sees device memory
    bool has_prologue{false};  // or an epilogue
    bool is_pipelined{false};
    bool reads_file{false};  // devices read the weights in the file
    std::uint64_t devices{1U};
    std::uint64_t steps_in_flight{1U};
    std::uint64_t regions{0U};
    std::uint64_t inputs{0U};
    std::uint64_t outputs{0U};
    std::uint64_t input_pieces{0U};  // summed over devices: each is bound by itself
    std::uint64_t output_pieces{0U};
    std::uint64_t input_bytes{0U};
    std::uint64_t output_bytes{0U};
    ScriptFacts setup;
    ScriptFacts prologue;
    ScriptFacts step;
    ScriptFacts epilogue;
    std::uint64_t parameters{0U};
    std::uint64_t patch_points{0U};
    std::uint64_t self_tests{0U};
    // Constants.
    std::uint64_t file_bytes{0U};
    std::uint64_t digested_bytes{0U};  // by the digest of the file
    std::uint64_t other_bytes{0U};     // outside of weights and traces: summed when a load ends
    std::uint64_t ranges{0U};          // that set-up writes
    std::uint64_t kept_pieces{0U};     // slices of ranges that stay, on each device that holds them
    std::uint64_t kept_bytes{0U};
    std::uint64_t written_pieces{0U};  // slices of state that the set-up writes, on each device
    std::uint64_t written_bytes{0U};
    std::uint64_t state_regions{0U};  // on each device
    std::uint64_t state_bytes{0U};    // of those regions
    std::uint64_t call_pieces{0U};    // of those that stay, in one call, at most
    std::uint64_t call_bytes{0U};
    std::uint64_t slices{0U};  // calls of a comparison of all that stays
    // Sealed state, an upper bound of the objects' layout.
    std::uint64_t bound_bytes{0U};
    std::uint64_t loaded_bytes{0U};
    std::uint64_t setup_bytes{0U};  // of the workspace: the plan of the set-up
    std::uint64_t running_bytes{0U};
    std::uint64_t empty_bytes{0U};  // all three of a session without a binary
};

[[nodiscard]] SessionFacts facts_of(const Plan& plan, const PlanWorkspace& workspace, const Envelope& envelope,
                                    std::uint32_t self_tests, const RuntimeFacts& runtime);

}  // namespace pianola::timeline
