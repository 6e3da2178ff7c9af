#include "capture_host/timing/instructions.h"

namespace pianola::timing {
namespace {

struct Coefficient {
    Term term;
    std::uint32_t host;
    std::uint32_t ecu;
};

// Hundredths. Host: g++ 12.2, -O3, x86-64, the most that a plan of tests/session_cost takes. ECU: bytes by what the
// slowest board takes, all else twice the host's.
constexpr std::array<Coefficient, 20> kCoefficients{
    {{Term::kCall, 40000U, 80000U}, {Term::kSealedBytes, 80U, 125U}, {Term::kEnqueue, 6000U, 12000U}}};

constexpr std::uint64_t kHundredths = 100U;

}  // namespace

std::uint64_t coefficient(Core core, Term term) noexcept {
    for (const Coefficient& each : kCoefficients) {
        if (each.term == term) {
            return (core == Core::kHost) ? each.host : each.ecu;
        }
    }
    return 0U;
}

std::uint64_t instructions(Core core, const Counts& counts) noexcept {
    std::uint64_t hundredths = 0U;
    for (std::size_t i = 0U; i < kTermCount; ++i) {
        hundredths += counts.at(i) * coefficient(core, static_cast<Term>(i));
    }
    return (hundredths + kHundredths - 1U) / kHundredths;
}

}  // namespace pianola::timing
