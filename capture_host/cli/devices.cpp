// pianola devices: what could execute a binary here.

#include "capture_host/cli/devices.h"

#include <fmt/format.h>

#include "capture_host/cli/cli.h"
#include "capture_host/cli/json_text.h"
#include "capture_host/cli/options.h"
#include "hal/registry/registry.h"

namespace pianola::cli {
namespace {

struct DevicesArguments {
    bool json{false};
};

int print_devices(const DevicesArguments& arguments) {
    const nlohmann::json devices = list_devices();
    print_result(arguments.json, devices, devices_text(devices));
    return kDone;
}

}  // namespace

nlohmann::json list_devices() {
    nlohmann::json list = nlohmann::json::array();
    nlohmann::json no_vulkan;
    for (const Target* const target : known_targets()) {
        const char* const family = target->usual_device().family;
        if (target->offers().simulator) {
            list.push_back({{"device", "simulator"}, {"family", family}});
        }
        if (!target->offers().vulkan) {
            continue;
        }
        const ExecutorList executors = target->executors();
        for (std::size_t i = 0U; i < executors.executors.size(); ++i) {
            const ListedExecutor& each = executors.executors[i];
            list.push_back({{"device", fmt::format("vulkan:{}", i)},
                            {"family", family},
                            {"name", each.name},
                            {"vulkan", each.version},
                            {"missing", each.missing}});
        }
        if (executors.executors.empty()) {
            no_vulkan = executors.why_none.empty() ? "the loader finds no device" : executors.why_none;
        }
    }
    return {{"devices", list}, {"no_vulkan", no_vulkan}};
}

std::string devices_text(const nlohmann::json& devices, const std::string& indent) {
    std::string text;
    for (const nlohmann::json& each : devices.at("devices")) {
        text += indent + fill("{device:<13} {family}", each);
        if (each.contains("vulkan")) {
            text += fill(": {name}, Vulkan {vulkan}", each) +
                    (each.at("missing").get<std::string>().empty() ? "" : fill("; cannot be opened: {missing}", each));
        }
        text += "\n";
    }
    return text +
           (devices.at("no_vulkan").is_null() ? "" : (indent + fill("vulkan        none: {no_vulkan}\n", devices)));
}

void add_devices(CLI::App& app, Action& action) {
    const auto [command, arguments] =
        add_command(app, action, "devices", "Lists the devices that `run` can replay on", print_devices);
    command->footer(
        "Examples:\n"
        "  pianola devices\n"
        "  pianola run signs.ptb --device vulkan:0 --input image.bin --output scores.bin\n\n"
        "`pianola run --device vulkan:N` takes the names of this list.");
    command->add_flag("--json", arguments->json, "Print the list as JSON");
}

}  // namespace pianola::cli
