// Scenario: one life of a session, from loading over four steps to a turn of the scrub, and what came of it.
//
// What every campaign runs, in every mode, with another fault each time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <ostream>
#include <vector>

#include "hal/devices/refdev/refdev_command_set.h"
#include "hal/devices/refdev/sim/sim_platform.h"
#include "pianola/session.h"
#include "pianola_host/files.h"
#include "tests/campaign/hooked_device.h"
#include "tests/campaign/mode.h"
#include "tests/campaign/workload.h"

namespace pianola::campaign {

enum class Outcome : std::uint8_t {
    kDetected,  // a call failed, and what had not been released by then is withheld
    kHarmless,  // every output is equal, byte for byte, to what it must be
    // A wrong output was released, a fault left one behind, memory that was given back has changed, or it never ended.
    kSilent,
    kCrashed,  // the process ended; only where each run has one of its own
};

struct Tally {
    std::uint64_t injected{0U};
    std::uint64_t detected{0U};
    std::uint64_t harmless{0U};
    std::uint64_t silent{0U};
    std::uint64_t crashed{0U};
    std::uint64_t misnamed{0U};  // of those detected: the record of the fault names a device that was as it must be

    void add(Outcome outcome) noexcept;
    void add(const Tally& other) noexcept;
};
std::ostream& operator<<(std::ostream& stream, const Tally& tally);

class Scenario {
  public:
    explicit Scenario(const Mode& mode);

    // Called between two calls of the session, with the number of the moment, from 0.
    void at_moments(std::function<void(std::uint32_t moment)> action) { action_ = std::move(action); }
    // How many there were.
    [[nodiscard]] std::uint32_t moments() const noexcept { return moment_; }

    Outcome run();
    // A fault has latched that is said to be another device's. Behind run().
    [[nodiscard]] bool blames_another(std::uint32_t device) const noexcept;

    [[nodiscard]] HookedDevice& device(std::uint32_t index) noexcept { return *devices_[index]; }
    [[nodiscard]] Session& session() noexcept { return session_; }
    [[nodiscard]] MutableByteSpan file() noexcept { return file_.mutable_view(); }
    [[nodiscard]] const Image& image() const noexcept { return workspace_->image; }

  private:
    using Tensors = test::Interpreter::Tensors;
    // A submission under way, or one that has been released, with the memory that it was given.
    struct Turn {
        Tensors inputs;
        Tensors outputs;
        Tensors expected;
    };

    // Each false where a call has failed.
    bool play();
    bool start();
    bool submit(std::uint32_t number);
    bool submit_views(const Turn& turn);
    bool stop();
    bool finish(std::size_t limit);
    bool change_parameter();
    bool scrub();
    Turn& begin(const test::Commands& commands, bool takes_inputs);
    void release(Turn& turn);
    void at_moment();
    [[nodiscard]] bool is_withheld();
    [[nodiscard]] bool is_given_back_unchanged() const;

    Mode mode_;
    test::SmallCase small_;
    Meaning meaning_{small_};
    files::AlignedBytes file_;
    std::vector<std::unique_ptr<HookedDevice>> devices_;
    sim::SimPlatform platform_;
    refdev::RefdevCommandSet command_set_;
    SessionConfig config_;
    Session session_;
    std::unique_ptr<PlanWorkspace> workspace_{std::make_unique<PlanWorkspace>()};
    Verdict verdict_;
    std::deque<Turn> turns_;
    std::deque<Turn> released_;
    bool is_wrong_{false};  // something that was released is
    std::uint32_t moment_{0U};
    std::function<void(std::uint32_t)> action_;
};

}  // namespace pianola::campaign
