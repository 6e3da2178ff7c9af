// pianola verify: would the target take this binary?

#include "capture_host/writer/verify.h"

#include <fmt/format.h>

#include <memory>

#include "capture_host/cli/cli.h"
#include "hal/refdev/refdev_command_set.h"

namespace pianola::cli {
namespace {

struct VerifyArguments {
    std::string file;
    std::string device;
    bool json{false};
};

int verify_file(const VerifyArguments& arguments) {
    const refdev::DeviceSpec spec = load_device_spec(arguments.device);
    const files::AlignedBytes file{files::load_file(arguments.file)};
    DeviceDescription device;
    refdev::describe(spec, device);

    const auto workspace = std::make_unique<PlanWorkspace>();
    Image image;
    Plan plan;
    Verdict verdict;
    const Status status =
        capture::verify(file.view(), device, refdev::RefdevCommandSet{}, *workspace, image, plan, verdict);
    if (arguments.json) {
        nlohmann::json json = verdict_to_json(verdict);
        json["file"] = arguments.file;
        fmt::print("{}\n", json_text(json));
    } else {
        fmt::print("{}: {}\n", arguments.file, describe_verdict(verdict, image));
    }
    return is_ok(status) ? kDone : kRefused;
}

}  // namespace

void add_verify(CLI::App& app, Action& action) {
    auto arguments = std::make_shared<VerifyArguments>();
    CLI::App* const command =
        app.add_subcommand("verify", "Runs every check that the target runs, and those of the host");
    command->footer(
        "A refusal names the rule (docs/RULES.md), the field and the byte offset, and ends with exit code 3.");
    command->add_option("file", arguments->file, "Trace binary")->required();
    add_device_option(*command, arguments->device);
    command->add_flag("--json", arguments->json, "Print the verdict as JSON");
    command->callback([arguments, &action] { action = [arguments] { return verify_file(*arguments); }; });
}

}  // namespace pianola::cli
