// The boards of this project whose own cores execute the reference device's kernels, for captures.
//
// The build makes the list from board.json and memory.ld in the boards' folders.
#pragma once

#include <cstdint>

#include "pianola/span.h"

namespace pianola {

struct KnownBoard {
    const char* name;
    const char* cost_model;  // Target::cost_model_name()
    std::uint32_t core_khz;  // with the next one: of counted instructions under QEMU
    std::uint32_t millicycles_per_instruction;
    std::uint32_t queues;      // that separate cores serve
    std::uint32_t dram_bytes;  // at most, as its linker script has them
    std::uint32_t l1_bytes;
    std::uint32_t file_base;  // DeviceDescription::file_base: its device reads flash
    std::uint32_t file_bytes;
};

// Static lifetime.
[[nodiscard]] Span<const KnownBoard> known_boards();

}  // namespace pianola
