// Player: a trace binary on a separate device, simulated or of an executor.
//
// pianola.Session is a Player. The device is the one that the binary was captured for. Throws PlayerError.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "capture_host/timeline/operations.h"
#include "hal/host/simulator.h"
#include "pianola_host/manifest.h"
#include "pianola_host/rule_error.h"
#include "pianola_host/targets.h"

namespace pianola::python {

// The rule is the runtime's own, or one of PLAYER-...
using PlayerError = host::RuleError;

class Player {
  public:
    explicit Player(const std::vector<std::uint8_t>& file, bool threaded = false, const ExecutorDevice& executor = {},
                    const targets::Targets& targets = targets::Targets{});
    ~Player();
    Player(const Player&) = delete;
    Player& operator=(const Player&) = delete;

    [[nodiscard]] const capture::Manifest& manifest() const noexcept;
    // Gives state its first contents again, as Session::reset_state() does.
    void reset_state();
    // Inferences one after the other, or overlapped where the binary is pipelined: bytes of every input, in the
    // binary's order, of each of them; gives those of every output. Prologue and epilogue are run where there are any.
    // interrupt::check() is asked between two records; behind what it throws, the next run() goes on from the last
    // whole record, or from the prologue where the binary has an epilogue.
    using Tensors = std::vector<std::vector<std::uint8_t>>;
    [[nodiscard]] std::vector<Tensors> run(const std::vector<Tensors>& inputs);
    // A new value for a declared parameter, from the next run() on.
    void set_parameter(const std::string& name, std::uint32_t value);
    // Where the time of each operation goes, in every mode and on every device.
    [[nodiscard]] std::vector<timeline::Performance> performance(const HostCost& cost) const;
    // Replays the binary's own self-test vectors, and returns how many there are.
    std::uint32_t self_test();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace pianola::python
