// Player: a program on the simulator and on the emulator, side by side.
#pragma once

#include <map>
#include <string>

#include "tests/random/emulator.h"
#include "tests/support/bench.h"
#include "tests/support/random.h"

namespace pianola::programs {

// What has been played.
struct Counts {
    std::uint64_t programs{0U};
    std::uint64_t accepted{0U};
    std::uint64_t wrong{0U};   // programs of which an output, or the bytes that a view holds, were wrong
    std::uint64_t faults{0U};  // accepted programs that did not run
    std::uint64_t views{0U};
    std::uint64_t in_flight{0U};
    std::uint64_t pipelined{0U};
    std::uint64_t two_queues{0U};
    std::uint64_t dispatches{0U};
    std::uint64_t parameters{0U};
    std::uint64_t self_tests{0U};
    std::uint64_t steps{0U};  // by transfers, one at a time
    std::uint64_t steps_on_views{0U};
    std::uint64_t steps_in_pairs{0U};
    std::map<std::string, std::uint64_t> refused;    // by rule
    std::map<std::uint32_t, std::uint64_t> answers;  // about views, of what was accepted

    void add(const Counts& other);
};

class Player {
  public:
    explicit Player(bool lie) : lie_{lie} {}

    // The program of that seed. False where it is wrong, or has a fault.
    bool play(std::uint32_t seed, Counts& counts);

  private:
    class Run;

    static sim::SimOptions options();

    bool lie_;
    std::unique_ptr<test::Bench> bench_{std::make_unique<test::Bench>(options())};  // anew after a failure
};

}  // namespace pianola::programs
