// pianola devices: what could execute a binary here.

#include "capture_host/cli/devices.h"

#include <fmt/format.h>

#include "capture_host/cli/cli.h"
#include "capture_host/cli/options.h"
#include "hal/registry/registry.h"

namespace pianola::cli {
namespace {

struct DevicesArguments {
    bool json{false};
};

int print_devices(const DevicesArguments& arguments) {
    const DeviceList list = list_devices();
    if (arguments.json) {
        fmt::print("{}\n", json_text({{"devices", list.json}, {"no_vulkan", list.none}}));
    } else {
        fmt::print("{}", list.text);
    }
    return kDone;
}

}  // namespace

DeviceList list_devices() {
    DeviceList list;
    list.json = nlohmann::json::array();
    for (const Target* const target : known_targets()) {
        const char* const family = target->usual_device().family;
        if (target->offers().simulator) {
            list.text += fmt::format("simulator     {}\n", family);
            list.json.push_back({{"device", "simulator"}, {"family", family}});
        }
        if (!target->offers().vulkan) {
            continue;
        }
        const ExecutorList executors = target->executors();
        for (std::size_t i = 0U; i < executors.executors.size(); ++i) {
            const ListedExecutor& each = executors.executors[i];
            const std::string name = fmt::format("vulkan:{}", i);
            list.text += fmt::format("{:<13} {}: {}, Vulkan {}{}{}\n", name, family, each.name, each.version,
                                     each.missing.empty() ? "" : "; cannot be opened: ", each.missing);
            list.json.push_back({{"device", name},
                                 {"family", family},
                                 {"name", each.name},
                                 {"vulkan", each.version},
                                 {"missing", each.missing}});
        }
        if (executors.executors.empty()) {
            const std::string why = executors.why_none.empty() ? "the loader finds no device" : executors.why_none;
            list.text += fmt::format("vulkan        none: {}\n", why);
            list.none = why;
        }
    }
    return list;
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
