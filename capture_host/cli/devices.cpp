// pianola devices: what could execute a binary here.

#include "capture_host/cli/devices.h"

#include <fmt/format.h>

#include "capture_host/cli/binary_file.h"
#include "capture_host/cli/cli.h"
#include "capture_host/cli/json_text.h"
#include "capture_host/cli/options.h"

namespace pianola::cli {
namespace {

struct DevicesArguments {
    std::string plugin;
    bool json{false};
};

int print_devices(const DevicesArguments& arguments) {
    const targets::Targets targets = load_targets(arguments.plugin);
    const nlohmann::json devices = list_devices(targets);
    print_result(arguments.json, devices, devices_text(devices, targets));
    return kDone;
}

void add_executor(nlohmann::json& list, const char* family, const Executor& executor) {
    const ExecutorDevices found = executor.devices();
    for (std::size_t i = 0U; i < found.devices.size(); ++i) {
        const ExecutorDevices::Device& each = found.devices[i];
        list["devices"].push_back({{"device", fmt::format("{}:{}", executor.name(), i)},
                                   {"family", family},
                                   {"name", each.name},
                                   {executor.name(), each.version},
                                   {"missing", each.missing}});
    }
    nlohmann::json& why_none = list[fmt::format("no_{}", executor.name())];
    if (found.devices.empty()) {
        why_none = found.why_none;
    }
}

// Lines of the executor's devices in the list.
std::string executor_devices_text(const nlohmann::json& list, const Executor& executor, const std::string& indent) {
    std::string text;
    for (const nlohmann::json& each : list.at("devices")) {
        if (each.contains(executor.name())) {
            text += indent + fill("{device:<13} {family}: {name}, ", each) +
                    fmt::format("{} {}", executor.title(), each.at(executor.name()).get<std::string>()) +
                    (each.at("missing").get<std::string>().empty() ? "" : fill("; cannot be opened: {missing}", each)) +
                    "\n";
        }
    }
    const nlohmann::json& why_none = list.at(fmt::format("no_{}", executor.name()));
    if (!why_none.is_null()) {
        text += indent + fmt::format("{:<13} none: {}\n", executor.name(), why_none.get<std::string>());
    }
    return text;
}

}  // namespace

nlohmann::json list_devices(const targets::Targets& targets) {
    nlohmann::json list{{"devices", nlohmann::json::array()}};
    for (const Target* const target : targets.all()) {
        const char* const family = target->usual_device().family;
        if (target->offers().simulator) {
            list["devices"].push_back({{"device", "simulator"}, {"family", family}});
        }
        for (const Executor* const executor : target->executors()) {
            add_executor(list, family, *executor);
        }
    }
    return list;
}

std::string devices_text(const nlohmann::json& devices, const targets::Targets& targets, const std::string& indent) {
    std::string text;
    for (const Target* const target : targets.all()) {
        if (target->offers().simulator) {
            text += indent + fmt::format("simulator     {}\n", target->usual_device().family);
        }
        for (const Executor* const executor : target->executors()) {
            text += executor_devices_text(devices, *executor, indent);
        }
    }
    return text;
}

void add_devices(CLI::App& app, Action& action) {
    const auto [command, arguments] =
        add_command(app, action, "devices", "Lists the devices that `run` can replay on", print_devices);
    command->footer(
        "Examples:\n"
        "  pianola devices\n"
        "  pianola run signs.ptb --device vulkan:0 --input image.bin --output scores.bin\n\n"
        "`pianola run --device vulkan:N` takes the names of this list.");
    add_plugin_option(*command, arguments->plugin);
    command->add_flag("--json", arguments->json, "Print the list as JSON");
}

}  // namespace pianola::cli
