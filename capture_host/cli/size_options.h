// --dram, --l1 and --trace-region: memory sizes of a device without a description of one.
//
// Beside --device (target_option.h), for what makes a binary.
#pragma once

#include <CLI/ConfigFwd.hpp>
#include <cstdint>
#include <string>

#include "hal/host/target.h"

namespace pianola::cli {

// Sizes in bytes in place of the device's; 0: as the device has it.
struct MemorySizes {
    std::uint64_t dram_bytes{0U};
    std::uint64_t l1_bytes{0U};
    std::uint64_t trace_region_bytes{0U};
};
void add_size_options(CLI::App& command, MemorySizes& sizes);
// Whether any size was given. Does not check that such a device exists.
bool set_sizes(const MemorySizes& sizes, DeviceDescription& device);
// Which of the options sets this member of a device description.
[[nodiscard]] const char* size_option(const std::string& member);

}  // namespace pianola::cli
