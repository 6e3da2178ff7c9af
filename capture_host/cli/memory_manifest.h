// MemoryManifest: every byte of memory that a trace binary needs on a target, as numbers.
//
// `pianola size` gathers them here once and shows them in four forms. docs/reference/manifest.md says what each is for.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "capture_host/cli/binary_file.h"
#include "pianola/device.h"
#include "pianola/image.h"

namespace pianola::cli {

// Who may touch a window's memory while its slot runs.
enum class WindowAccess { kReadOnly, kReadWrite };

// A part of one memory that a protection unit opens for this binary, in the two granularities that units have. Offsets
// count from the start of the memory; the "pow2" window is the smallest naturally aligned power of two that holds the
// part.
struct MemoryWindow {
    std::string name;    // of the constants that describe it
    std::string memory;  // "flash", "ram", "device_dram", "device_l1"
    WindowAccess access{WindowAccess::kReadOnly};
    std::uint32_t offset_bytes{0U};
    std::uint32_t size_bytes{0U};  // a multiple of 64
    std::uint32_t pow2_offset_bytes{0U};
    std::uint32_t pow2_size_bytes{0U};
};

struct ManifestRegionSize {
    std::string name;
    RegionKind kind{RegionKind::kUnspecified};
    MemoryKind memory{MemoryKind::kUnspecified};
    RegionConfig config;
    std::string permissions;  // "kernels read, queues write"
};

struct NamedSize {
    std::string name;
    std::uint32_t size_bytes{0U};
};

struct RingUse {
    std::uint32_t setup_words{0U};
    std::uint32_t step_words{0U};
};

struct MemoryManifest {
    std::string file;    // base name
    std::string symbol;  // of the constants
    DeviceDescription device;
    std::vector<RamPart> ram;     // the runtime's, then the device's
    std::string device_constant;  // for a C++ header; may be empty

    // Flash.
    std::uint32_t file_bytes{0U};
    std::vector<NamedSize> segments;  // header, the four segments, padding; their sum is file_bytes

    // Device memory.
    std::uint32_t dram_used_bytes{0U};  // regions in DRAM, the trace region's used part included
    std::uint32_t l1_used_bytes{0U};
    std::uint32_t trace_region_used_bytes{0U};
    std::vector<ManifestRegionSize> regions;

    // One step.
    std::vector<NamedSize> inputs;
    std::vector<NamedSize> outputs;
    std::uint32_t input_bytes{0U};
    std::uint32_t output_bytes{0U};
    std::vector<RingUse> rings;  // one per queue
    std::string no_views;        // what speaks against zero-copy I/O; empty where nothing does
    std::uint64_t step_cycles{0U};
    std::uint32_t step_deadline_us{0U};
    std::uint32_t release_calls{0U};  // of poll(), that a verified release takes: Session::scrub_calls()
    std::uint32_t setup_deadline_us{0U};

    std::vector<MemoryWindow> windows;
};

[[nodiscard]] MemoryManifest gather_manifest(const VerifiedFile& file, const std::string& file_name,
                                             const std::string& symbol);

// The name in capital letters, as a macro has it.
[[nodiscard]] std::string upper_case(const std::string& name);

// The forms.
[[nodiscard]] std::string manifest_as_text(const MemoryManifest& manifest);
[[nodiscard]] nlohmann::json manifest_to_json(const MemoryManifest& manifest);
[[nodiscard]] std::string manifest_as_header(const MemoryManifest& manifest);
[[nodiscard]] std::string manifest_as_c_header(const MemoryManifest& manifest);  // C99
[[nodiscard]] std::string manifest_as_linker_fragment(const MemoryManifest& manifest);

}  // namespace pianola::cli
