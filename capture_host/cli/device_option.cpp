#include <fmt/format.h>

#include <algorithm>

#include "capture_host/cli/cli.h"
#include "capture_host/files/json.h"
#include "capture_host/writer/profiles.h"
#include "hal/sim/device_limits.h"
#include "pianola/config.h"

namespace pianola::cli {
namespace {

using capture::find_profile;

struct Member {
    const char* name;
    std::uint32_t refdev::DeviceSpec::* field;
};
constexpr std::array kMembers{
    Member{"dram_base", &refdev::DeviceSpec::dram_base},
    Member{"dram_bytes", &refdev::DeviceSpec::dram_bytes},
    Member{"l1_base", &refdev::DeviceSpec::l1_base},
    Member{"l1_bytes", &refdev::DeviceSpec::l1_bytes},
    Member{"trace_region_bytes", &refdev::DeviceSpec::trace_region_bytes},
    Member{"clock_khz", &refdev::DeviceSpec::clock_khz},
    Member{"queue_count", &refdev::DeviceSpec::queue_count},
    Member{"grid_columns", &refdev::DeviceSpec::grid_columns},
    Member{"grid_rows", &refdev::DeviceSpec::grid_rows},
    Member{"dram_banks", &refdev::DeviceSpec::dram_banks},
};

[[noreturn]] void fail(const std::string& file_name, const std::string& what) {
    throw CliError{kUsage, fmt::format("--device {}: {}", file_name, what)};
}

}  // namespace

void add_device_option(CLI::App& command, std::string& file_name) {
    command
        .add_option("--device", file_name,
                    "Device description, JSON; without it the default device: 4 MiB DRAM, 256 KiB L1, 64 KiB trace "
                    "region, 2 queues, 2 by 2 cores, 4 DRAM banks, 500 MHz, profile default")
        ->type_name(kReadsJson);
}

refdev::DeviceSpec load_device_spec(const std::string& file_name) {
    refdev::DeviceSpec spec;
    if (file_name.empty()) {
        return spec;
    }
    nlohmann::json json;
    try {
        json = files::parse_json(files::load_file(file_name, files::kSmallLimitBytes));
    } catch (const files::JsonError& error) {
        fail(file_name, fmt::format("not a JSON object: {}", error.what()));
    }
    if (!json.is_object()) {
        fail(file_name, "not a JSON object");
    }
    for (const auto& [name, value] : json.items()) {
        const std::string& wanted = name;  // a structured binding can not be captured
        if (name == "profile") {
            spec.capacities = value.is_string() ? find_profile(value.get<std::string>()) : nullptr;
            if (spec.capacities == nullptr) {
                fail(file_name, "'profile' must be \"small_ecu\", \"default\" or \"host\"");
            }
            continue;
        }
        const auto* const member = std::find_if(kMembers.begin(), kMembers.end(),
                                                [&wanted](const Member& each) { return wanted == each.name; });
        if (member == kMembers.end()) {
            fail(file_name, fmt::format("unknown member '{}'", name));
        }
        if (!value.is_number_unsigned() || (value.get<std::uint64_t>() > UINT32_MAX)) {
            fail(file_name, fmt::format("'{}' must be a number from 0 to 4294967295", name));
        }
        spec.*(member->field) = value.get<std::uint32_t>();
    }
    const std::string wrong = sim::what_is_wrong_with(spec);
    if (!wrong.empty()) {
        fail(file_name, wrong);
    }
    return spec;
}

}  // namespace pianola::cli
