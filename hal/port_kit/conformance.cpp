#include "hal/port_kit/conformance.h"

#include <algorithm>
#include <cstring>

namespace pianola::port {
namespace {

[[nodiscard]] bool is_left_out(const PortUnderTest& port, const char* name) noexcept {
    return std::any_of(port.not_offered.begin(), port.not_offered.end(),
                       [name](const char* left_out) { return std::strcmp(left_out, name) == 0; });
}

[[nodiscard]] const char* name_of(Status status) noexcept {
    switch (status) {
        case Status::kOk:
            return "kOk";
        case Status::kInvalidArgument:
            return "kInvalidArgument";
        case Status::kInvalidState:
            return "kInvalidState";
        case Status::kRefused:
            return "kRefused";
        case Status::kCapacity:
            return "kCapacity";
        case Status::kBusy:
            return "kBusy";
        case Status::kPending:
            return "kPending";
        case Status::kTimeout:
            return "kTimeout";
        case Status::kDeviceFault:
            return "kDeviceFault";
        case Status::kIntegrity:
            return "kIntegrity";
        case Status::kFaultLatched:
            return "kFaultLatched";
        case Status::kInternal:
            return "kInternal";
        default:
            return "no status";
    }
}

void report_value(Sink& sink, const Kit& kit, std::uint64_t value) noexcept {
    if (kit.is_status()) {
        sink.text(name_of(static_cast<Status>(value)));
    } else {
        sink.number(value);
    }
}

void report(Sink& sink, const Check& check, const Kit& kit) noexcept {
    switch (kit.outcome()) {
        case Outcome::kPassed:
            sink.text("passed       ");
            sink.text(check.name);
            sink.text(": ");
            sink.text(check.statement);
            break;
        case Outcome::kFailed:
            sink.text("FAILED       ");
            sink.text(check.name);
            sink.text(": ");
            sink.text(kit.why());
            if (kit.actual() != kit.wanted()) {
                sink.text(" (");
                report_value(sink, kit, kit.actual());
                sink.text(", wanted ");
                report_value(sink, kit, kit.wanted());
                sink.text(")");
            }
            break;
        case Outcome::kNotOffered:
        default:
            sink.text("not offered  ");
            sink.text(check.name);
            sink.text(": ");
            sink.text(kit.why());
            sink.text("; assumed: ");
            sink.text((check.assumption != nullptr) ? check.assumption : "nothing, this needs no other means");
            break;
    }
    sink.text("\n");
}

// Names of `not_offered` that are no check, or one that every port must pass.
std::uint32_t refuse_exemptions(const PortUnderTest& port, Sink& sink) noexcept {
    std::uint32_t refused = 0U;
    for (const char* const left_out : port.not_offered) {
        bool may_be = false;
        for (std::uint32_t area = 0U; area < kAreas; ++area) {
            for (const Check& check : checks_of(area)) {
                may_be = may_be || ((check.assumption != nullptr) && (std::strcmp(check.name, left_out) == 0));
            }
        }
        if (!may_be) {
            sink.text("FAILED       ");
            sink.text(left_out);
            sink.text(": cannot be left out\n");
            refused += 1U;
        }
    }
    return refused;
}

}  // namespace

Span<const Check> checks_of(std::uint32_t area) noexcept {
    using Area = Span<const Check> (*)() noexcept;
    constexpr std::array<Area, kAreas> kAll{describe_checks,    platform_checks, decode_checks,  digest_checks,
                                            transfer_checks,    memory_checks,   binding_checks, region_checks,
                                            file_window_checks, queue_checks,    event_checks,   completion_checks,
                                            reset_checks,       touch_checks,    engine_checks};
    return (area < kAreas) ? kAll[area]() : Span<const Check>{};
}

Summary run_conformance(const PortUnderTest& port, Kit& kit, Sink& sink, const char* prefix) noexcept {
    Summary summary;
    summary.refused_exemptions = refuse_exemptions(port, sink);
    for (std::uint32_t area = 0U; area < kAreas; ++area) {
        for (const Check& check : checks_of(area)) {
            if (std::strncmp(check.name, prefix, std::strlen(prefix)) != 0) {
                continue;
            }
            kit.begin(port);
            if ((check.assumption != nullptr) && is_left_out(port, check.name)) {
                kit.not_offered("the port leaves it out");
            } else if (kit.outcome() == Outcome::kPassed) {
                check.run(kit);
            } else {
                // describe() has failed.
            }
            report(sink, check, kit);
            summary.passed += (kit.outcome() == Outcome::kPassed) ? 1U : 0U;
            summary.failed += (kit.outcome() == Outcome::kFailed) ? 1U : 0U;
            summary.not_offered += (kit.outcome() == Outcome::kNotOffered) ? 1U : 0U;
        }
    }
    sink.text("conformance: ");
    sink.number(summary.passed);
    sink.text(" passed, ");
    sink.number(summary.failed + summary.refused_exemptions);
    sink.text(" failed, ");
    sink.number(summary.not_offered);
    sink.text(" not offered\n");
    return summary;
}

}  // namespace pianola::port
