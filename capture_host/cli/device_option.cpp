#include <fmt/format.h>

#include <algorithm>

#include "capture_host/cli/cli.h"
#include "capture_host/files/json.h"
#include "capture_host/writer/profiles.h"
#include "runtime/core/config.h"

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
constexpr std::uint32_t kLargestMemoryBytes = 1U << 30U;

[[noreturn]] void fail(const std::string& file_name, const std::string& what) {
    throw CliError{kUsage, fmt::format("--device {}: {}", file_name, what)};
}

void check(const refdev::DeviceSpec& spec, const std::string& file_name) {
    const std::uint64_t dram_end = std::uint64_t{spec.dram_base} + spec.dram_bytes;
    const std::uint64_t l1_end = std::uint64_t{spec.l1_base} + spec.l1_bytes;
    if ((spec.dram_bytes > kLargestMemoryBytes) || (spec.l1_bytes > kLargestMemoryBytes) || (dram_end > UINT32_MAX) ||
        (l1_end > UINT32_MAX)) {
        fail(file_name, "memories must be at most 1 GiB, and end below 4 GiB");
    }
    if ((spec.l1_base < dram_end) && (spec.dram_base < l1_end)) {
        fail(file_name, "DRAM and L1 overlap");
    }
    for (const std::uint32_t value :
         {spec.dram_base, spec.dram_bytes, spec.l1_base, spec.l1_bytes, spec.trace_region_bytes}) {
        if ((value % kFileAlignmentBytes) != 0U) {
            fail(file_name, fmt::format("bases and sizes must be multiples of {}", kFileAlignmentBytes));
        }
    }
    if (spec.trace_region_bytes > spec.dram_bytes) {
        fail(file_name, "the trace region must fit into DRAM");
    }
    const auto is_edge = [](std::uint32_t cores) { return (cores >= 1U) && (cores <= refdev::kMaxGridEdge); };
    if (!is_edge(spec.grid_columns) || !is_edge(spec.grid_rows) || (spec.dram_banks < 1U) ||
        (spec.dram_banks > refdev::kMaxDramBanks)) {
        fail(file_name, fmt::format("grid_columns and grid_rows must be 1 to {}, dram_banks 1 to {}",
                                    refdev::kMaxGridEdge, refdev::kMaxDramBanks));
    }
    const std::uint32_t granularity = refdev::core_count(spec) * kFileAlignmentBytes;
    if ((spec.l1_bytes % granularity) != 0U) {
        fail(file_name,
             fmt::format("l1_bytes is {} for {} cores, but must be a multiple of {}, so that each has a multiple of {}",
                         spec.l1_bytes, refdev::core_count(spec), granularity, kFileAlignmentBytes));
    }
    if ((spec.queue_count == 0U) || (spec.queue_count > kMaxQueues) || (spec.clock_khz == 0U)) {
        fail(file_name, fmt::format("queue_count must be 1 to {}, clock_khz at least 1", kMaxQueues));
    }
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
    check(spec, file_name);
    return spec;
}

}  // namespace pianola::cli
