// Scenario: one life of a session, from loading over two steps and a turn of the scrubber, and what came of it.
//
// Place in the whole: what every campaign runs, with another fault each time. Tests only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "capture_host/files/files.h"
#include "hal/refdev/refdev_command_set.h"
#include "hal/sim/sim_platform.h"
#include "runtime/session/development_config.h"
#include "runtime/session/session.h"
#include "tests/campaign/hooked_device.h"

namespace pianola::campaign {

enum class Outcome : std::uint8_t {
    kDetected,  // a call failed, and what had not been released by then is withheld
    kHarmless,  // every output is equal, byte for byte, to what it must be
    kSilent,    // a wrong output was released, or a fault released one
};

struct Tally {
    std::uint64_t injected{0U};
    std::uint64_t detected{0U};
    std::uint64_t harmless{0U};
    std::uint64_t silent{0U};

    void add(Outcome outcome) noexcept;
};
std::ostream& operator<<(std::ostream& stream, const Tally& tally);

// Where the scenario is, between two calls of the session.
enum class Moment : std::uint8_t {
    kLoaded,
    kSubmitted,   // the device has not run yet
    kCompleted,   // the first poll has been; the release is being verified
    kReleased,    // the first step's output is out
    kSubmitted2,  // likewise for the second
    kCompleted2,
};
inline constexpr std::uint32_t kMoments = 6U;

class Scenario {
  public:
    Scenario();

    // Called between two calls of the session.
    void at_moments(std::function<void(Moment)> action) { action_ = std::move(action); }

    Outcome run();

    [[nodiscard]] HookedDevice& device() noexcept { return device_; }
    [[nodiscard]] Session& session() noexcept { return session_; }
    [[nodiscard]] const Session& session() const noexcept { return session_; }
    [[nodiscard]] const Image& image() const noexcept { return workspace_->image; }

  private:
    bool load();
    bool step(std::uint32_t seed, Moment submitted, Moment completed, std::vector<std::uint8_t>& output);
    void at(Moment moment) const {
        if (action_) {
            action_(moment);
        }
    }
    Outcome judge_failure(const std::vector<std::uint8_t>& output) const;

    HookedDevice device_;
    sim::SimPlatform platform_;
    refdev::RefdevCommandSet command_set_;
    Session session_;
    std::unique_ptr<PlanWorkspace> workspace_;
    Verdict verdict_;
    std::function<void(Moment)> action_;
};

}  // namespace pianola::campaign
