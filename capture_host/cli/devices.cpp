// pianola devices: what could execute a binary here.

#include <fmt/format.h>

#include "capture_host/cli/cli.h"
#include "hal/devices/registry/registry.h"

namespace pianola::cli {
namespace {

struct DevicesArguments {
    bool json{false};
};

int list(const DevicesArguments& arguments) {
    std::string text;
    nlohmann::json json = nlohmann::json::array();
    for (const Target* const target : known_targets()) {
        const char* const family = target->usual_device().family;
        if (target->offers().simulator) {
            text += fmt::format("simulator     {}\n", family);
            json.push_back({{"device", "simulator"}, {"family", family}});
        }
        if (!target->offers().vulkan) {
            continue;
        }
        const ExecutorList executors = target->executors();
        for (std::size_t i = 0U; i < executors.executors.size(); ++i) {
            const ListedExecutor& each = executors.executors[i];
            const std::string name = fmt::format("vulkan:{}", i);
            text += fmt::format("{:<13} {}: {}, Vulkan {}{}{}\n", name, family, each.name, each.version,
                                each.missing.empty() ? "" : "; cannot be opened: ", each.missing);
            json.push_back({{"device", name},
                            {"family", family},
                            {"name", each.name},
                            {"vulkan", each.version},
                            {"missing", each.missing}});
        }
        if (executors.executors.empty()) {
            const std::string why = executors.why_none.empty() ? "the loader finds no device" : executors.why_none;
            text += fmt::format("vulkan        none: {}\n", why);
        }
    }
    fmt::print("{}", arguments.json ? (json_text(json) + "\n") : text);
    return kDone;
}

}  // namespace

void add_devices(CLI::App& app, Action& action) {
    const auto [command, arguments] =
        add_command(app, action, "devices", "Lists the devices that `run` can replay on", list);
    command->footer("`pianola run --device vulkan:N` takes the names of this list.");
    command->add_flag("--json", arguments->json, "Print the list as JSON");
}

}  // namespace pianola::cli
