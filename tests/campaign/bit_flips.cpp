// One bit flips, once: in traces, weights, rings, completion records and the device's registers before any call of the
// device, in the session's state between any two of its own calls.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <random>
#include <stdexcept>

#include "hal/devices/refdev/shared_state.h"
#include "tests/campaign/campaigns.h"
#include "tests/campaign/scenario.h"

namespace pianola::campaign {
namespace {

using Memory = std::function<MutableByteSpan(Scenario& scenario)>;
using Life = void (*)(Scenario& scenario, const Place& place, Tally& tally);

// Released at completion, a session does not compare these with anything.
constexpr const char* kOutside = "released at completion: left to memory that corrects itself";

void flip(MutableByteSpan memory, std::uint64_t bit) {
    constexpr std::uint32_t kBits = 8U;
    std::uint8_t& byte = memory[static_cast<std::size_t>(bit / kBits)];
    byte = static_cast<std::uint8_t>(byte ^ (1U << (bit % kBits)));
}

template <typename Object>
MutableByteSpan bytes_of(Object& object) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-005
    return {reinterpret_cast<std::uint8_t*>(&object), sizeof(object)};
}

// Where every queue has completed, but late, the record names none, which is (0, 0): a flip in a trace can make a
// device slow.
void run_here(Scenario& scenario, const Place& place, Tally& tally) {
    const Outcome outcome = scenario.run();
    Place named = place;
    named.is_of_device = place.is_of_device && (scenario.session().fault().status != Status::kTimeout);
    count(scenario, named, outcome, tally);
}

// In a process of its own, for damage that may end it: nothing compares the state of a session that releases at
// completion, and it holds references to the application's memory.
void run_apart(Scenario& scenario, const Place& /*place*/, Tally& tally) {
    constexpr int kFirstCode = 100;  // of the exit codes that are outcomes; others are a sanitizer's
    constexpr unsigned kMostSeconds = 60U;
    const pid_t child = fork();
    if (child < 0) {
        throw std::runtime_error{"cannot fork"};
    }
    if (child == 0) {
        (void)close(STDERR_FILENO);  // a sanitizer's report
        (void)alarm(kMostSeconds);
        _exit(kFirstCode + static_cast<int>(scenario.run()));
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child) {
        throw std::runtime_error{"cannot wait for a run"};
    }
    const bool is_outcome = WIFEXITED(status) && (WEXITSTATUS(status) >= kFirstCode);
    tally.add(is_outcome ? static_cast<Outcome>(WEXITSTATUS(status) - kFirstCode) : Outcome::kCrashed);
}

// Every bit at every moment where that is few enough, else as many as asked for, drawn by the seed.
template <typename Try>
Tally try_all(std::uint64_t bits, std::uint32_t moments, const FlipOptions& options, const Try& attempt) {
    Tally tally;
    const std::uint64_t all = bits * moments;
    if (all <= options.samples) {
        for (std::uint64_t i = 0U; i < all; ++i) {
            attempt(i / moments, static_cast<std::uint32_t>(i % moments), tally);
        }
        return tally;
    }
    std::mt19937_64 random{options.seed};
    for (std::uint32_t i = 0U; i < options.samples; ++i) {
        const std::uint64_t drawn = random() % all;
        attempt(drawn / moments, static_cast<std::uint32_t>(drawn % moments), tally);
    }
    return tally;
}

// What a bit is flipped in, once.
struct Target {
    const char* name;
    Memory memory;
    std::uint32_t device{0U};  // before whose calls
    bool is_session{false};    // flips between the session's calls, not the device's
    bool needs_verify{false};  // released at completion, it is outside
};

// Before the n-th call of the device.
Tally flip_before_calls(const Mode& mode, const Target& target, const FlipOptions& options, Life life) {
    Scenario clean{mode};
    (void)clean.run();
    const std::uint64_t bits = std::uint64_t{target.memory(clean).size()} * 8U;
    return try_all(
        bits, clean.device(target.device).calls(), options, [&](std::uint64_t bit, std::uint32_t call, Tally& tally) {
            Scenario scenario{mode};
            scenario.device(target.device).set_hook([&](Call, std::uint32_t number) -> std::optional<Status> {
                if (number == call) {
                    flip(target.memory(scenario), bit);
                }
                return std::nullopt;
            });
            life(scenario, {mode, target.device, target.name, Call::kService, call, !target.is_session}, tally);
        });
}

// Between two calls of the session.
Tally flip_between_calls(const Mode& mode, const Target& target, const FlipOptions& options, Life life) {
    Scenario clean{mode};
    (void)clean.run();
    const std::uint64_t bits = std::uint64_t{target.memory(clean).size()} * 8U;
    return try_all(bits, clean.moments(), options, [&](std::uint64_t bit, std::uint32_t moment, Tally& tally) {
        Scenario scenario{mode};
        scenario.at_moments([&](std::uint32_t now) {
            if (now == moment) {
                flip(target.memory(scenario), bit);
            }
        });
        life(scenario, {mode, target.device, target.name, Call::kService, moment, !target.is_session}, tally);
    });
}

MutableByteSpan constants(Scenario& scenario, std::uint32_t device, bool traces) {
    const Image& image = scenario.image();
    const bool is_loaded = scenario.session().is_loaded();
    const refdev::DeviceSpec spec = scenario.device(device).inner().spec();
    const std::uint32_t address =
        traces ? (spec.dram_base + spec.dram_bytes - spec.trace_region_bytes) : spec.dram_base;
    const std::size_t bytes = is_loaded ? (traces ? image.trace_segment().size() : image.weights().size()) : 64U;
    return {scenario.device(device).inner().memory_at(address, bytes), bytes};
}

// The front of a session, which is outside the seal (runtime/include/pianola/session.h): references, and how many
// devices there are, in which shape.
struct Front {
    std::array<Device*, kMaxMeshDevices> devices;
    std::array<std::uint32_t, 3> shape;
    std::array<void*, 3> references;
};

MutableByteSpan state_of(Scenario& scenario) {
    const MutableByteSpan all = bytes_of(scenario.session());
    return all.subspan(sizeof(Front), all.size() - sizeof(Front));
}

// Of one device.
std::vector<Target> targets_on(std::uint32_t device, const Mode& mode) {
    // Of what is written in such a life: with many steps in flight, all.
    const std::size_t used_ring_bytes = (mode.in_flight > 2U) ? SIZE_MAX : (200U * sizeof(std::uint32_t));
    const auto shared = [device](Scenario& scenario) -> refdev::SharedState& {
        return scenario.device(device).inner().shared();
    };
    const auto queue = [shared](Scenario& scenario, std::uint32_t index) -> refdev::QueueMemory& {
        return shared(scenario).queues.at(index);
    };
    std::vector<Target> targets{
        {"trace region", [=](Scenario& scenario) { return constants(scenario, device, true); }, device, false, true},
        {"weights", [=](Scenario& scenario) { return constants(scenario, device, false); }, device, false, true},
        {"host memory bindings", [=](Scenario& scenario) { return bytes_of(shared(scenario).host); }, device},
        {"protection unit", [=](Scenario& scenario) { return bytes_of(shared(scenario).memory); }, device},
        {"reset words",
         [=](Scenario& scenario) {
             const MutableByteSpan all = bytes_of(shared(scenario));
             const auto* const first = bytes_of(shared(scenario).reset_phase).data();
             const auto offset = static_cast<std::size_t>(first - all.data());
             const std::size_t size = sizeof(shared(scenario).reset_phase) + sizeof(shared(scenario).reset_confirmed);
             return all.subspan(offset, size);
         },
         device},
        {"event counters and times", [=](Scenario& scenario) { return bytes_of(shared(scenario).events); }, device},
    };
    const auto add = [&](const char* name, const Memory& memory) { targets.push_back({name, memory, device}); };
    for (std::uint32_t index = 0U; index < mode.queues; ++index) {
        add("rings", [=](Scenario& scenario) {
            const MutableByteSpan ring = bytes_of(queue(scenario, index).ring);
            return ring.subspan(0U, std::min(ring.size(), used_ring_bytes));
        });
        add("ring positions", [=](Scenario& scenario) { return bytes_of(queue(scenario, index).published); });
        add("consumed words", [=](Scenario& scenario) { return bytes_of(queue(scenario, index).consumed); });
        add("completion records", [=](Scenario& scenario) { return bytes_of(queue(scenario, index).completions); });
        add("completed token", [=](Scenario& scenario) { return bytes_of(queue(scenario, index).completed_token); });
        add("queue stopped", [=](Scenario& scenario) { return bytes_of(queue(scenario, index).stopped); });
    }
    return targets;
}

}  // namespace

std::vector<NamedTally> flip_bits(const Mode& mode, const FlipOptions& options) {
    std::vector<Target> targets{{"session state", state_of, 0U, true, true}};
    for (std::uint32_t device = 0U; device < mode.devices; ++device) {
        const std::vector<Target> more = targets_on(device, mode);
        targets.insert(targets.end(), more.begin(), more.end());
    }
    std::vector<NamedTally> tallies;
    for (const Target& target : targets) {
        const auto& flip_where = target.is_session ? flip_between_calls : flip_before_calls;
        if (!mode.verified && target.needs_verify) {
            const Tally tally = flip_where(mode, target, options, run_apart);
            tallies.push_back({std::string{target.name} + " at completion", tally, kOutside});
            continue;
        }
        tallies.push_back({target.name, flip_where(mode, target, options, run_here)});
    }
    return tallies;
}

}  // namespace pianola::campaign
