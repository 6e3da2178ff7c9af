// What `pianola inspect` shows, for its text, JSON and page.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "capture_host/binary/trace_walk.h"
#include "capture_host/cli/binary_file.h"
#include "pianola/envelope.h"
#include "pianola/image.h"
#include "pianola_host/manifest.h"

namespace pianola::cli {

struct CommandLine {
    std::uint32_t word{0U};
    std::string name;
    DecodedCommand decoded;
};
// The commands of a trace, as far as they can be decoded.
[[nodiscard]] std::vector<CommandLine> decode_trace(const BinaryFile& file, const Image& image, const TraceView& trace);

// Whether there is a target for the family that the file names.
[[nodiscard]] bool is_known(const BinaryFile& file, const Image& image);

// What `verify` says of the file without a key, and whether zero-copy I/O is possible on the device that it is for.
struct Judgement {
    Verdict verdict;
    std::optional<bool> views;  // nothing is known where the file is refused
    std::string why_no_views;
};
[[nodiscard]] Judgement judge(const BinaryFile& file);
[[nodiscard]] std::string views_text(const Judgement& judgement);

// "(0, 0) to (1, 1)", or the one; empty where the target is no mesh.
[[nodiscard]] std::string devices_text(const capture::ManifestTarget& target, const DeviceRange& devices);

// As packing_of(); empty where is_known() is not.
[[nodiscard]] nlohmann::json packing_in(const BinaryFile& file, const Image& image);

// Of state only where the file is accepted.
[[nodiscard]] nlohmann::json evidence_in(const BinaryFile& file, const Image& image, const Judgement& judgement);

// The page of `inspect --html`: memory map, tensors, operators, scripts and the verdict, as pictures and tables. A
// function of the file alone. The envelope and image are those of the file, accepted or not.
[[nodiscard]] std::string inspect_page(const std::string& file_name, const BinaryFile& file, const Envelope& envelope,
                                       const Image& image);

}  // namespace pianola::cli
