#include "capture_host/binary/refusal_text.h"

#include <array>
#include <sstream>

#include "capture_host/binary/verify.h"

namespace pianola::capture {
namespace {

constexpr std::array<const char*, static_cast<std::size_t>(Rule::kRuleCount)> kRemedies{
    "",  // kNotRun
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_RULE(name, id, message, why, cause, remedy) remedy,
#include "pianola/rules.inc"
#undef PIANOLA_RULE
};
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_RULE(name, id, message, why, cause, remedy) \
    static_assert((sizeof(cause) > 1U) && (sizeof(remedy) > 1U), "a rule has no cause, or no remedy");
#include "pianola/rules.inc"
#undef PIANOLA_RULE

// Advice on a capacity; nullptr for other rules.
[[nodiscard]] const char* advice_of(const Verdict& verdict) noexcept {
    switch (verdict.rule) {
        case Rule::kCapIntervals:
            return "have cores touch longer ranges that lie side by side: fewer tensors in L1 at once, on fewer cores, "
                   "or "
                   "with shards of a multiple of 64 bytes";
        case Rule::kCapWork:
            return "replay long traces in fewer scripts, on one queue";
        case Rule::kCapCommands:
            return "use interleaved buffers for inputs and outputs, and gather programs in traces";
        case Rule::kCapTables:
            return "gather kernels in fewer programs";
        case Rule::kCapPoints:
            return "declare fewer parameters, or use them in fewer places";
        case Rule::kBudInFlight:
            return (verdict.actual != 0U) ? "capture with fewer steps in flight" : nullptr;
        case Rule::kImgSize:
            return (verdict.actual != 0U) ? "gather kernels in fewer programs" : nullptr;
        default:
            return nullptr;
    }
}

}  // namespace

bool names_commands(Rule rule) noexcept {
    return (rule == Rule::kOrdRace) || (rule == Rule::kOrdCores);
}

bool names_bytes(Rule rule) noexcept {
    switch (rule) {
        case Rule::kLayTensorOverlap:
        case Rule::kTrcBounds:
        case Rule::kTrcPermission:
        case Rule::kTrcUnwritten:
        case Rule::kTrcCoreRace:
        case Rule::kScrWeightsOnce:
        case Rule::kScrUnwritten:
            return true;
        default:
            return false;
    }
}

std::string describe_numbers(const Verdict& verdict) {
    if (names_bytes(verdict.rule)) {
        std::ostringstream text;
        text << "found ";
        if (verdict.limit != 0U) {
            text << verdict.limit << ((verdict.limit == 1U) ? " byte at " : " bytes at ");
        }
        text << "0x" << std::uppercase << std::hex << verdict.actual;
        return text.str();
    }
    const bool is_absent_kernel =
        (verdict.rule == Rule::kTrcKernelNamed) || ((verdict.rule == Rule::kTgtKernel) && (verdict.limit == 0U));
    if (names_commands(verdict.rule) || is_absent_kernel || (verdict.actual == verdict.limit)) {
        return {};
    }
    const bool stops = (verdict.rule == Rule::kCapCommands) || (verdict.rule == Rule::kCapIntervals) ||
                       (verdict.rule == Rule::kCapWork) || (verdict.rule == Rule::kCapTables) ||
                       (verdict.rule == Rule::kCapPoints);
    return std::string{stops ? "found at least " : "found "} + std::to_string(verdict.actual) +
           (stops ? ", limit " : ", expected or limit ") + std::to_string(verdict.limit);
}

std::string capacity_remedy(ByteSpan file, const DeviceDescription& device, const CommandSet& command_set,
                            const Trust& trust, const Verdict& verdict) {
    const char* const advice = advice_of(verdict);
    if (advice == nullptr) {
        return {};
    }
    const std::string of_program = advice;
    Verification larger_profile;
    for (const Capacities* profile : kProfiles) {
        DeviceDescription larger = device;
        larger.capacities = profile;
        if ((profile->intervals > device.capacities->intervals) &&
            is_ok(larger_profile.validate(file, larger, command_set, trust))) {
            return std::string{"profile "} + profile->name + " takes it, " + device.capacities->name +
                   " does not: build the target's runtime with it and name it in the device's description; or " +
                   of_program;
        }
    }
    return "no profile takes it: " + of_program;
}

std::string remedy_of(const Verdict& verdict, ByteSpan file, const DeviceDescription& device,
                      const CommandSet& command_set, const std::string& why_not, const Trust& trust) {
    if (is_ok(verdict.status)) {
        return {};
    }
    std::string of_capacity = capacity_remedy(file, device, command_set, trust, verdict);
    if (!of_capacity.empty()) {
        return of_capacity;
    }
    switch (verdict.rule) {
        case Rule::kTgtMemory:
        case Rule::kTgtTraceRegion:
        case Rule::kTgtClock:
        case Rule::kTgtQueues:
        case Rule::kTgtGrid:
        case Rule::kTgtProfile:
            return why_not.empty() ? "the binary is for another device, which `inspect` shows as target: capture with "
                                     "this --device; without --device it is judged for its own"
                                   : why_not;
        case Rule::kTgtFamily:
        case Rule::kTgtCommandSet:
        case Rule::kTgtKernelLibrary:
        case Rule::kTgtKernel:
        case Rule::kTgtAttestation:
        case Rule::kTgtCosts:
        case Rule::kTgtWeightsLayout:
        case Rule::kTgtMesh:
            return why_not.empty() ? "no --device has it: capture the workload anew with this version: pianola capture "
                                     "MODEL -o FILE"
                                   : why_not;
        default:
            return kRemedies.at(static_cast<std::size_t>(verdict.rule));
    }
}

}  // namespace pianola::capture
