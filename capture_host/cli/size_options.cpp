#include "capture_host/cli/size_options.h"

#include <fmt/format.h>

#include "capture_host/cli/cli.h"
#include "capture_host/cli/options.h"

namespace pianola::cli {

void add_size_options(CLI::App& command, MemorySizes& sizes) {
    const auto add = [&command](const char* name, std::uint64_t& size, const char* what) {
        command.add_option(name, size, fmt::format("{}, in place of the device's; 16M is 16 times 1,048,576", what))
            ->transform(CLI::AsSizeValue(false))
            ->check(CLI::Range(std::uint64_t{1U}, std::uint64_t{UINT32_MAX}));
    };
    add(size_option("dram_bytes"), sizes.dram_bytes, "Bytes of DRAM");
    add(size_option("l1_bytes"), sizes.l1_bytes, "Bytes of L1, of all cores together");
    add(size_option("trace_region_bytes"), sizes.trace_region_bytes, "Bytes of the trace region, the end of DRAM");
}

bool set_sizes(const MemorySizes& sizes, DeviceDescription& device) {
    const auto set = [](std::uint64_t size, std::uint32_t& member) {
        if (size != 0U) {
            member = static_cast<std::uint32_t>(size);
        }
        return size != 0U;
    };
    const bool has_dram = set(sizes.dram_bytes, device.dram_bytes);
    const bool has_l1 = set(sizes.l1_bytes, device.l1_bytes);
    return set(sizes.trace_region_bytes, device.trace_region_bytes) || has_dram || has_l1;
}

const char* size_option(const std::string& member) {
    if (member == "dram_bytes") {
        return "--dram";
    }
    return (member == "l1_bytes") ? "--l1" : "--trace-region";
}

}  // namespace pianola::cli
