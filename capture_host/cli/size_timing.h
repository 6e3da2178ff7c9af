// --ftti-us and what goes with it: whether a fault is handled in time on an ECU, as part of `pianola size`.
//
// Options, text and JSON; the formulas are capture_host/timeline/cost's.
#pragma once

#include <CLI/ConfigFwd.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "capture_host/cli/binary_file.h"
#include "capture_host/timeline/cost/ftti.h"

namespace pianola::cli {

inline constexpr std::uint32_t kMicrosecondsPerMillisecond = 1000U;

struct TimingArguments {
    timing::EcuTiming ecu;
    bool sees_memory{false};
    bool at_completion{false};

    [[nodiscard]] bool is_asked() const noexcept { return ecu.ftti_us != 0U; }
};
void add_timing_options(CLI::App& command, TimingArguments& arguments);

struct TimingAnswer {
    timing::EcuTiming ecu;  // with what the binary says where no option does
    timing::FttiAnswer answer;
};
[[nodiscard]] TimingAnswer time_faults(const TimingArguments& arguments, const VerifiedFile& file);
[[nodiscard]] std::string timing_text(const TimingAnswer& timed);
[[nodiscard]] nlohmann::json timing_to_json(const TimingAnswer& timed);

}  // namespace pianola::cli
