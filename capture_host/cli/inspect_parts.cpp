#include "capture_host/cli/inspect_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "capture_host/cli/cli.h"
#include "capture_host/cli/evidence_text.h"
#include "capture_host/cli/packing.h"

namespace pianola::cli {

bool is_known(const BinaryFile& file, const Image& image) {
    return capture::to_string(image.target().device_family) == file.device().family;
}

std::vector<CommandLine> decode_trace(const BinaryFile& file, const Image& image, const TraceView& trace) {
    std::vector<CommandLine> lines;
    if (!is_known(file, image)) {
        lines.push_back({0U, "undecodable: " + file.why_not(), {}});
        return lines;
    }
    const WordSpan words = image.trace_words().subspan(trace.offset_bytes / sizeof(std::uint32_t), trace.word_count);
    const targets::WalkEnd end = targets::for_each_command(
        file.target().command_set(), words, [&](std::uint32_t word, const DecodedCommand& command) {
            lines.push_back({word, targets::command_name(file.target(), command), command});
        });
    if (!end.is_whole()) {
        lines.push_back({static_cast<std::uint32_t>(end.word), fmt::format("undecodable: {}", end.refused), {}});
    }
    return lines;
}

Views find_views(const BinaryFile& file, const Image& image) {
    const TargetView target = image.target();
    const DeviceDescription& device = file.device();
    const bool is_of_build = is_known(file, image) && (target.command_set_id == device.command_set_id) &&
                             (target.command_set_version == device.command_set_version) &&
                             std::equal(target.kernel_library.begin(), target.kernel_library.end(),
                                        device.kernel_library.begin(), device.kernel_library.end());
    if (!is_of_build) {
        return {std::nullopt,
                "the binary is for another device family, command set or kernel library, whose commands "
                "this build does not know"};
    }
    const auto workspace = std::make_unique<PlanWorkspace>();
    const auto plan = std::make_unique<Plan>();
    Verdict verdict;
    const bool proved = is_ok(prove_plan(image, device, file.target().command_set(), *workspace, *plan, verdict));
    if (!proved) {
        return {std::nullopt, fmt::format("the binary is refused: {}", rule_id(verdict.rule))};
    }
    const std::string why_not = describe_views(*plan, image);
    return {why_not.empty(), why_not};
}

nlohmann::json packing_in(const BinaryFile& file, const Image& image) {
    return is_known(file, image) ? packing_of(file.target(), image) : nlohmann::json::array();
}

nlohmann::json evidence_in(const BinaryFile& file, const Image& image, const Views& views) {
    return evidence_of(image, views.possible.has_value() ? &file.target().command_set() : nullptr);
}

}  // namespace pianola::cli
