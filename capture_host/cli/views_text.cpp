#include "capture_host/cli/views_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "capture_host/cli/cli.h"
#include "capture_host/writer/manifest.h"

namespace pianola::cli {

bool is_known(const BinaryFile& file, const Image& image) {
    return capture::to_string(image.target().device_family) == file.device().family;
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

}  // namespace pianola::cli
