// Lies of a driver: each call omitted but answered with kOk, made twice, made wrongly, or made elsewhere: every time,
// or every so many times. The kit must notice each lie, but those that change nothing. Prints the check that notices it
// first. usage: pianola_port_lies [EVERY]
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "hal/devices/refdev/refdev_command_set.h"
#include "hal/devices/refdev/sim/sim_platform.h"
#include "hal/port_kit/conformance.h"
#include "tests/campaign/hooked_device.h"
#include "tests/port/refdev_samples.h"

namespace pianola::port {
namespace {

using campaign::Call;
using campaign::Lie;

// Keeps the name of the first check that fails.
class FirstFailure final : public Sink {
  public:
    void text(const char* text) noexcept override {
        if (is_next_) {
            name_ = text;
        }
        is_next_ = (name_ == nullptr) && (std::strncmp(text, "FAILED", 6U) == 0);
    }
    void number(std::uint64_t /*number*/) noexcept override {}
    [[nodiscard]] const char* name() const noexcept { return name_; }

  private:
    bool is_next_{false};
    const char* name_{nullptr};
};

struct Told {
    Call call;
    const char* name;
    // Lies of this call that change nothing: letters of O, T, W, E; small ones where it is not every time.
    const char* harmless;
};
constexpr std::array<Told, 17U> kCalls{{
    {Call::kDescribe, "describe", "T"},
    {Call::kReset, "reset", "TWE"},
    {Call::kProgramRegion, "program_region", ""},
    {Call::kProgrammedRegion, "programmed_region", "T"},
    {Call::kReadBack, "read_back", "T"},
    {Call::kPatchWord, "patch_word", "T"},
    {Call::kBindSource, "bind_source", "T"},
    {Call::kBindDestination, "bind_destination", "T"},
    {Call::kBoundSource, "bound_source", "T"},
    {Call::kBoundDestination, "bound_destination", "T"},
    {Call::kHostView, "host_view", "OT"},             // no views are fewer
    {Call::kGiveToDevice, "give_to_device", "OTWE"},  // in one memory there is nothing to do
    {Call::kTakeFromDevice, "take_from_device", "OTWE"},
    {Call::kEnqueue, "enqueue", ""},
    {Call::kRingDoorbell, "ring_doorbell", "TW"},
    {Call::kService, "service", "TWEo"},
    {Call::kCompletion, "completion", "T"},
}};
struct Kind {
    Lie lie;
    const char* name;
    char letter;
};
constexpr std::array<Kind, 4U> kLies{{{Lie::kOmitted, "omitted", 'O'},
                                      {Lie::kTwice, "twice", 'T'},
                                      {Lie::kWrong, "wrong", 'W'},
                                      {Lie::kElsewhere, "elsewhere", 'E'}}};

sim::SimOptions small() {
    sim::SimOptions options;
    options.spec.dram_bytes = 64U * 1024U;
    options.spec.trace_region_bytes = 16U * 1024U;
    options.spec.l1_bytes = 16U * 1024U;
    return options;
}

// The check that notices it; nullptr where none does.
const char* notice(Kit& kit, Call call, Lie lie, std::uint32_t every) {
    campaign::HookedDevice device{small()};
    sim::SimPlatform platform{device.inner()};
    const refdev::RefdevCommandSet command_set;
    PortUnderTest port{device,        platform,
                       command_set,   {small().spec.dram_base + 4096U, kMemoryBytes},
                       refdev_sample, WordSpan{kRefdevEnd}};
    port.not_offered = Span<const char* const>{kRefdevNotOffered};
    port.polls = 5000U;
    std::uint32_t made_so_far = 0U;
    device.set_lies([call, lie, every, &made_so_far](Call made, std::uint32_t /*number*/) {
        made_so_far += (made == call) ? 1U : 0U;
        return ((made == call) && ((made_so_far % every) == 0U)) ? lie : Lie::kNone;
    });
    FirstFailure first;
    static_cast<void>(run_conformance(port, kit, first));
    return first.name();
}

int run(std::uint32_t every) {
    static Kit kit;
    std::uint32_t silent = 0U;
    std::uint32_t unexpected = 0U;
    for (const Told& told : kCalls) {
        for (const Kind& kind : kLies) {
            const char* const check = notice(kit, told.call, kind.lie, every);
            const bool is_harmless =
                (std::strchr(told.harmless, kind.letter) != nullptr) ||
                ((every > 1U) && (std::strchr(told.harmless, kind.letter + ('a' - 'A')) != nullptr));
            std::cout << told.name << " " << kind.name << ": "
                      << ((check != nullptr) ? check : (is_harmless ? "changes nothing" : "NOT NOTICED")) << "\n";
            silent += ((check == nullptr) && !is_harmless) ? 1U : 0U;
            unexpected += ((check != nullptr) && is_harmless) ? 1U : 0U;
        }
    }
    std::cout << silent << " lies are not noticed, " << unexpected << " are noticed that change nothing\n";
    return ((silent == 0U) && (unexpected == 0U)) ? 0 : 1;
}

}  // namespace
}  // namespace pianola::port

int main(int argc, char** argv) {
    const auto every = static_cast<std::uint32_t>((argc == 2) ? std::strtoul(argv[1], nullptr, 10) : 1U);
    return pianola::port::run((every == 0U) ? 1U : every);
}
