// Clock, counter and the calls that a session makes of the ECU.
#include "hal/port_kit/conformance.h"
#include "pianola/fault.h"

namespace pianola::port {
namespace {

// Looks at the clock, and whether it has gone back.
bool look(Kit& kit, std::uint64_t& last) noexcept {
    const std::uint64_t now = kit.platform().now_us();
    const bool is_later = kit.expect(now >= last, "now_us() has gone back", now, last);
    last = now;
    return is_later;
}

void clock_does_not_go_back(Kit& kit) noexcept {
    constexpr std::uint32_t kLooks = 4096U;
    constexpr std::uint32_t kRounds = 16U;
    std::uint64_t last = kit.platform().now_us();
    for (std::uint32_t i = 0U; i < kLooks; ++i) {
        if (!look(kit, last)) {
            return;
        }
        if ((i % kRounds) == 0U) {
            kit.platform().idle();
        }
    }
    if (!kit.start()) {
        return;
    }
    for (std::uint32_t i = 0U; i < kRounds; ++i) {
        if (!kit.expect_completes(0U, "a notification does not complete") || !look(kit, last)) {
            return;
        }
    }
    static_cast<void>(kit.reset() && look(kit, last));
}

void clock_runs(Kit& kit) noexcept {
    const std::uint64_t first = kit.platform().now_us();
    for (std::uint32_t poll = 0U; poll < kit.port().polls; ++poll) {
        kit.platform().idle();
        if (kit.platform().now_us() != first) {
            return;
        }
    }
    static_cast<void>(kit.expect(false, "now_us() stands still while the session waits", first));
}

void counter_is_read(Kit& kit) noexcept {
    for (const std::uint32_t before : list_of(0U, UINT32_MAX)) {
        std::uint32_t version = before;
        std::uint32_t again = ~before;
        static_cast<void>(
            kit.expect_ok(kit.platform().lowest_security_version(version), "lowest_security_version() is not kOk") &&
            kit.expect_ok(kit.platform().lowest_security_version(again), "lowest_security_version() is not kOk") &&
            kit.expect_equal(again, version, "lowest_security_version() leaves `version` alone, or changes"));
    }
}

void counter_is_raised(Kit& kit) noexcept {
    if (!kit.port().may_raise_counter) {
        kit.not_offered("the counter is not to be raised");
        return;
    }
    std::uint32_t version = 0U;
    static_cast<void>(kit.platform().lowest_security_version(version));
    const std::uint32_t wanted = version + 1U;
    static_cast<void>(
        kit.expect_ok(kit.platform().raise_security_version(wanted), "raise_security_version() is not kOk") &&
        kit.expect_ok(kit.platform().lowest_security_version(version), "lowest_security_version() is not kOk") &&
        kit.expect_equal(version, wanted, "the counter is not what it was raised to"));
}

void enters_the_safe_state(Kit& kit) noexcept {
    const auto entries = kit.port().safe_state_entries;
    if (entries == nullptr) {
        kit.not_offered("the kit cannot see the safe state");
        return;
    }
    const std::uint32_t before = entries(kit.port().context);
    FaultRecord fault;
    fault.status = Status::kDeviceFault;
    fault.stage = FaultStage::kStep;
    kit.platform().enter_safe_state(fault);
    static_cast<void>(kit.expect_equal(entries(kit.port().context) - before, 1U,
                                       "enter_safe_state() has not entered the safe state once"));
}

void serves_the_watchdog(Kit& kit) noexcept {
    const auto services = kit.port().watchdog_services;
    if (services == nullptr) {
        kit.not_offered("the kit cannot see the watchdog");
        return;
    }
    const std::uint32_t before = services(kit.port().context);
    static_cast<void>(kit.start() && kit.expect_completes(0U, "a notification does not complete"));
    kit.be_quiet();
    static_cast<void>(kit.expect_equal(services(kit.port().context) - before, 0U,
                                       "idle(), or the device, serves the watchdog without the session"));
    kit.platform().serve_watchdog();
    static_cast<void>(
        kit.expect_equal(services(kit.port().context) - before, 1U, "serve_watchdog() has not served it once"));
}

constexpr std::array<Check, 6U> kChecks{{
    {"PORT-CLOCK-BACK", "the platform's clock never goes back", "no deadline is relied on", clock_does_not_go_back},
    {"PORT-CLOCK-RUNS", "the platform's clock runs while the session waits",
     "a watchdog outside of the session bounds every wait", clock_runs},
    {"PORT-COUNTER-READ", "the security counter is read, and read alike twice", nullptr, counter_is_read},
    {"PORT-COUNTER-RAISE", "the security counter is what it was raised to",
     "raising it was tested on parts that may be used up", counter_is_raised},
    {"PORT-SAFE-STATE", "the safe state is entered when it is asked for", "the ECU's tests show its safe state",
     enters_the_safe_state},
    {"PORT-WATCHDOG", "the watchdog is served when it is asked for, and only then", "the ECU's tests show its watchdog",
     serves_the_watchdog},
}};

}  // namespace

Span<const Check> platform_checks() noexcept {
    return kChecks;
}

}  // namespace pianola::port
