// One bit of the binary flips in memory, and stays so, from the n-th call of a device on: behind both validations,
// while the set-up copies, and while steps run. Header and manifest, constants, and the vectors of self-tests.
#include <random>

#include "tests/campaign/campaigns.h"
#include "tests/campaign/scenario.h"

namespace pianola::campaign {
namespace {

constexpr std::uint32_t kBits = 8U;

// The first call of each device comes before the validations, which have campaigns of their own.
constexpr std::uint32_t kFirstCall = 1U;

void change(const Mode& mode, const char* name, std::uint64_t bit, std::uint32_t device, std::uint32_t call,
            Tally& tally) {
    Scenario scenario{mode};
    scenario.device(device).set_hook([&](Call, std::uint32_t number) -> std::optional<Status> {
        if (number == call) {
            std::uint8_t& byte = scenario.file()[static_cast<std::size_t>(bit / kBits)];
            byte = static_cast<std::uint8_t>(byte ^ (1U << (bit % kBits)));
        }
        return std::nullopt;
    });
    const Outcome outcome = scenario.run();
    count(scenario, {mode, device, name, Call::kService, call, false}, outcome, tally);
}

}  // namespace

std::vector<NamedTally> change_file(const Mode& mode, const FlipOptions& options) {
    Scenario clean{mode};
    (void)clean.run();
    const Envelope& envelope = clean.image().envelope();
    const std::uint32_t constants = envelope.weights.offset;
    const std::uint32_t vectors = envelope.self_tests.offset;
    struct Part {
        const char* name;
        std::uint32_t first;
        std::uint32_t end;
    };
    std::vector<NamedTally> tallies;
    for (const Part& part :
         {Part{"header and manifest of the file", 0U, constants}, Part{"constants in the file", constants, vectors}}) {
        std::mt19937_64 random{options.seed};
        Tally tally;
        for (std::uint32_t i = 0U; i < options.samples; ++i) {
            const std::uint64_t bits = std::uint64_t{part.end - part.first} * kBits;
            const std::uint64_t bit = (std::uint64_t{part.first} * kBits) + (random() % bits);
            const auto device = static_cast<std::uint32_t>((mode.devices > 1U) ? (random() % mode.devices) : 0U);
            const std::uint32_t calls = clean.device(device).calls() - kFirstCall;
            const std::uint32_t call = kFirstCall + static_cast<std::uint32_t>(random() % calls);
            change(mode, part.name, bit, device, call, tally);
        }
        tallies.push_back({part.name, tally});
    }
    return tallies;
}

}  // namespace pianola::campaign
