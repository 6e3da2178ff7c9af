// MemoryManifest: every byte of memory that a trace binary needs on a target.
//
// `pianola size` prints it as JSON, text, C++ or C99 header, and linker fragment; docs/reference/manifest.md describes
// them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "capture_host/cli/binary_file.h"

namespace pianola::cli {

struct MemoryManifest {
    nlohmann::json json;  // what --json prints: docs/reference/schemas/size.json
    DeviceDescription device;
    std::vector<RamPart> ram;     // the runtime's, then the device's
    std::string device_constant;  // for a C++ header; may be empty
};

[[nodiscard]] MemoryManifest gather_manifest(const VerifiedFile& file, const std::string& file_name,
                                             const std::string& symbol);

// Sources for a target's build.
[[nodiscard]] std::string manifest_as_header(const MemoryManifest& manifest);
[[nodiscard]] std::string manifest_as_c_header(const MemoryManifest& manifest);  // C99
[[nodiscard]] std::string manifest_as_linker_fragment(const MemoryManifest& manifest);

}  // namespace pianola::cli
