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
        nlohmann::json json = list.missing;
        json["devices"] = list.json;
        fmt::print("{}\n", json_text(json));
    } else {
        fmt::print("{}", list.text);
    }
    return kDone;
}

void add_executor(DeviceList& list, const char* family, const Executor& executor) {
    const ExecutorDevices found = executor.devices();
    for (std::size_t i = 0U; i < found.devices.size(); ++i) {
        const ExecutorDevices::Device& each = found.devices[i];
        const std::string name = fmt::format("{}:{}", executor.name(), i);
        list.text += fmt::format("{:<13} {}: {}, {} {}{}{}\n", name, family, each.name, executor.title(), each.version,
                                 each.missing.empty() ? "" : "; cannot be opened: ", each.missing);
        list.json.push_back({{"device", name},
                             {"family", family},
                             {"name", each.name},
                             {executor.name(), each.version},
                             {"missing", each.missing}});
    }
    nlohmann::json& none = list.missing[fmt::format("no_{}", executor.name())];
    if (found.devices.empty()) {
        list.text += fmt::format("{:<13} none: {}\n", executor.name(), found.why_none);
        none = found.why_none;
    }
}

}  // namespace

DeviceList list_devices() {
    DeviceList list;
    list.json = nlohmann::json::array();
    list.missing = nlohmann::json::object();
    for (const Target* const target : known_targets()) {
        const char* const family = target->usual_device().family;
        if (target->offers().simulator) {
            list.text += fmt::format("simulator     {}\n", family);
            list.json.push_back({{"device", "simulator"}, {"family", family}});
        }
        for (const Executor* const executor : target->executors()) {
            add_executor(list, family, *executor);
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
