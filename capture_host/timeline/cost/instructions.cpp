#include "capture_host/timeline/cost/instructions.h"

namespace pianola::timing {
namespace {

struct Coefficient {
    Term term;
    std::uint32_t host;
    std::uint32_t ecu;
};

// Hundredths. Host: g++ 12.2, -O3, x86-64: what the term takes where it weighs most in tests/session_cost, rounded up.
// ECU: bytes by the slowest board, zeros by a C library that writes byte by byte, all else the host's, which is more
// than boards take.
// Of the three digests of a load two are the validations', which are no part of this: a third of what a digest takes.
constexpr std::array<Coefficient, 31> kCoefficients{
    {{Term::kCall, 27500U, 27500U},        {Term::kSealedBytes, 80U, 135U},
     {Term::kDescribe, 5000U, 5000U},      {Term::kReset, 5000U, 5000U},
     {Term::kProgramRegion, 6000U, 6000U}, {Term::kProgrammedRegion, 6000U, 6000U},
     {Term::kReadBack, 18200U, 18200U},    {Term::kPatchWord, 6000U, 6000U},
     {Term::kBind, 6000U, 6000U},          {Term::kBound, 6000U, 6000U},
     {Term::kHostView, 4000U, 4000U},      {Term::kGive, 2000U, 2000U},
     {Term::kTake, 2000U, 2000U},          {Term::kEnqueue, 11000U, 11000U},
     {Term::kDoorbell, 10000U, 10000U},    {Term::kService, 4000U, 4000U},
     {Term::kCompletion, 10000U, 10000U},  {Term::kNow, 15000U, 15000U},
     {Term::kIdle, 1000U, 1000U},          {Term::kWatchdog, 10000U, 10000U},
     {Term::kCounter, 4000U, 4000U},       {Term::kSafeState, 5000U, 5000U},
     {Term::kSealCommand, 2000U, 2000U},   {Term::kZeroedBytes, 6U, 400U},
     {Term::kDigestedBytes, 1640U, 1640U}, {Term::kComparedBytes, 105U, 140U},
     {Term::kPieces, 47000U, 47000U},      {Term::kRangeLooks, 1000U, 1000U},
     {Term::kPointLooks, 800U, 800U},      {Term::kRecords, 90000U, 90000U},
     {Term::kStates, 250000U, 250000U}}};

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
