// One bit flips, once: in traces, weights, rings, completion records and the device's registers before any call of the device, in the
// session's state between any two of its own calls.
#include <functional>
#include <random>

#include "hal/refdev/shared_state.h"
#include "tests/campaign/campaigns.h"
#include "tests/campaign/scenario.h"

namespace pianola::campaign {
namespace {

using Memory = std::function<MutableByteSpan(Scenario& scenario)>;

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

// Every bit at every moment where that is few enough, else as many as asked for, drawn by the seed.
template <typename Try>
Tally try_all(std::uint64_t bits, std::uint32_t moments, const FlipOptions& options, const Try& attempt) {
    Tally tally;
    const std::uint64_t all = bits * moments;
    if (all <= options.samples) {
        for (std::uint64_t i = 0U; i < all; ++i) {
            tally.add(attempt(i / moments, static_cast<std::uint32_t>(i % moments)));
        }
        return tally;
    }
    std::mt19937_64 random{options.seed};
    for (std::uint32_t i = 0U; i < options.samples; ++i) {
        const std::uint64_t drawn = random() % all;
        tally.add(attempt(drawn / moments, static_cast<std::uint32_t>(drawn % moments)));
    }
    return tally;
}

// Before the n-th call of the device.
Tally flip_before_calls(const Memory& memory, const FlipOptions& options) {
    Scenario clean;
    (void)clean.run();
    const std::uint64_t bits = std::uint64_t{memory(clean).size()} * 8U;
    return try_all(bits, clean.device().calls(), options, [&](std::uint64_t bit, std::uint32_t call) {
        Scenario scenario;
        scenario.device().set_hook([&](Call, std::uint32_t number) -> std::optional<Status> {
            if (number == call) {
                flip(memory(scenario), bit);
            }
            return std::nullopt;
        });
        return scenario.run();
    });
}

// Between two calls of the session.
Tally flip_between_calls(const Memory& memory, const FlipOptions& options) {
    Scenario clean;
    const std::uint64_t bits = std::uint64_t{memory(clean).size()} * 8U;
    return try_all(bits, kMoments, options, [&](std::uint64_t bit, std::uint32_t moment) {
        Scenario scenario;
        scenario.at_moments([&](Moment now) {
            if (now == static_cast<Moment>(moment)) {
                flip(memory(scenario), bit);
            }
        });
        return scenario.run();
    });
}

MutableByteSpan constants(Scenario& scenario, bool traces) {
    const Image& image = scenario.image();
    const bool is_loaded = scenario.session().is_loaded();
    const refdev::DeviceSpec spec = scenario.device().inner().spec();
    const std::uint32_t address =
        traces ? (spec.dram_base + spec.dram_bytes - spec.trace_region_bytes) : spec.dram_base;
    const std::size_t bytes = is_loaded ? (traces ? image.trace_segment().size() : image.weights().size()) : 64U;
    return {scenario.device().inner().memory_at(address, bytes), bytes};
}

// The references at the front are outside the seal (runtime/session/session.h).
MutableByteSpan state_of(Scenario& scenario) {
    constexpr std::size_t kReferences = 4U * sizeof(void*);
    const MutableByteSpan all = bytes_of(scenario.session());
    return all.subspan(kReferences, all.size() - kReferences);
}

}  // namespace

std::vector<NamedTally> flip_bits(const FlipOptions& options) {
    const auto shared = [](Scenario& scenario) -> refdev::SharedState& { return scenario.device().inner().shared(); };
    return {
        {"trace region", flip_before_calls([](Scenario& scenario) { return constants(scenario, true); }, options)},
        {"weights", flip_before_calls([](Scenario& scenario) { return constants(scenario, false); }, options)},
        {"rings",
         flip_before_calls([&](Scenario& scenario) { return bytes_of(shared(scenario).queues[0].ring); }, options)},
        {"rings, second queue",
         flip_before_calls([&](Scenario& scenario) { return bytes_of(shared(scenario).queues[1].ring); }, options)},
        {"ring positions",
         flip_before_calls([&](Scenario& scenario) { return bytes_of(shared(scenario).queues[0].published); },
                           options)},
        {"completion records",
         flip_before_calls([&](Scenario& scenario) { return bytes_of(shared(scenario).queues[0].completions); },
                           options)},
        {"completion records, second queue",
         flip_before_calls([&](Scenario& scenario) { return bytes_of(shared(scenario).queues[1].completions); },
                           options)},
        {"completed token",
         flip_before_calls([&](Scenario& scenario) { return bytes_of(shared(scenario).queues[0].completed_token); },
                           options)},
        {"host memory bindings",
         flip_before_calls([&](Scenario& scenario) { return bytes_of(shared(scenario).host); }, options)},
        {"protection unit",
         flip_before_calls([&](Scenario& scenario) { return bytes_of(shared(scenario).memory); }, options)},
        {"session state", flip_between_calls(state_of, options)},
    };
}

}  // namespace pianola::campaign
