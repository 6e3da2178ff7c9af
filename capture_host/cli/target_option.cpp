#include "capture_host/cli/target_option.h"

#include <fmt/format.h>

#include "capture_host/cli/file_list.h"
#include "capture_host/files/json.h"
#include "capture_host/remedies/remedies.h"
#include "capture_host/signing/openssl_digest.h"
#include "capture_host/writer/profiles.h"
#include "hal/devices/device_numbers.h"

namespace pianola::cli {
namespace {

[[noreturn]] void fail(const std::string& file_name, const std::string& what) {
    throw CliError{kUsage, fmt::format("--device {}: {}", file_name, what)};
}

nlohmann::json load_members(const std::string& file_name) {
    if (vulkan_number(file_name).has_value()) {
        fail(file_name, "only `pianola run` executes on a Vulkan device; here a device description, JSON, is wanted");
    }
    nlohmann::json json;
    try {
        json = files::parse_json(files::load_file(file_name, files::kSmallLimitBytes));
    } catch (const files::JsonError& error) {
        fail(file_name, fmt::format("not a JSON object: {}", error.what()));
    }
    if (!json.is_object()) {
        fail(file_name, "not a JSON object");
    }
    return json;
}

}  // namespace

const Target& chosen_target(const std::string& file_name, const targets::Targets& targets) {
    const nlohmann::json json = file_name.empty() ? nlohmann::json::object() : load_members(file_name);
    if (!json.contains("family")) {
        return targets.usual();
    }
    const Target* const target =
        json.at("family").is_string() ? targets.find(json.at("family").get<std::string>()) : nullptr;
    if (target == nullptr) {
        fail(file_name, fmt::format("'family' must be one of {}", targets.families()));
    }
    return *target;
}

void add_device_option(CLI::App& command, std::string& file_name) {
    add_text(command, "--device", file_name, kReadsJson,
             "Device description, JSON; without it the default device: 4 MiB DRAM, 256 KiB L1, 64 KiB trace "
             "region, 2 queues, 2 by 2 cores, 4 DRAM banks, 500 MHz, profile default");
}

void add_plugin_option(CLI::App& command, std::string& file_name) {
    add_text(command, "--plugin", file_name, kReads,
             "Shared object with the target of a device family that is not built in (docs/reference/cli.md)");
}

void add_target_options(CLI::App& command, TargetArguments& arguments) {
    add_text(command, "--device", arguments.device, kReadsJson,
             "Device description, JSON: judge the binary for this device. Without it for the one that it names, "
             "with its profile");
    add_plugin_option(command, arguments.plugin);
}

targets::Targets load_targets(const std::string& plugin) {
    try {
        return targets::Targets{plugin};
    } catch (const targets::PluginError& error) {
        throw CliError{kFileTrouble, error.what()};
    }
}

DeviceDescription load_device(const std::string& file_name, const Target& target) {
    DeviceDescription device = target.usual_device();
    if (file_name.empty()) {
        return device;
    }
    const nlohmann::json json = load_members(file_name);
    for (const auto& [name, value] : json.items()) {
        const std::string& wanted = name;  // structured bindings can not be captured
        const nlohmann::json& given = value;
        if (wanted == "family") {
            if (given != device.family) {
                fail(file_name, fmt::format("'family': the binary's is {}", device.family));
            }
            continue;
        }
        if (wanted == "profile") {
            device.capacities = given.is_string() ? capture::find_profile(given.get<std::string>()) : nullptr;
            if (device.capacities == nullptr) {
                fail(file_name, "'profile' must be \"small_ecu\", \"default\" or \"host\"");
            }
            continue;
        }
        bool is_known = false;
        for_each_size(
            [&](const char* member, std::uint32_t& size) {
                if (wanted != member) {
                    return;
                }
                is_known = true;
                if (!given.is_number_unsigned() || (given.get<std::uint64_t>() > UINT32_MAX)) {
                    fail(file_name, fmt::format("'{}' must be a number from 0 to 4294967295", wanted));
                }
                size = given.get<std::uint32_t>();
            },
            device);
        if (!is_known) {
            fail(file_name, fmt::format("unknown member '{}'", wanted));
        }
    }
    const std::string wrong = target.what_is_wrong_with(device);
    if (!wrong.empty()) {
        fail(file_name, wrong);
    }
    return device;
}

std::vector<std::uint8_t> load_binary(const std::string& file_name) {
    return (file_name == kStandardInput) ? files::load_standard_input() : files::load_file(file_name);
}

BinaryFile::BinaryFile(const std::string& file_name, const TargetArguments& arguments)
    : BinaryFile{file_name, arguments, load_targets(arguments.plugin)} {}

BinaryFile::BinaryFile(const std::string& file_name, const TargetArguments& arguments, targets::Targets targets)
    : name_{file_name},
      bytes_{load_binary(file_name)},
      targets_{std::move(targets)},
      judged_for_{targets::target_of(bytes_.view(), targets_, signing::DevelopmentTrust{}.get())} {
    if (!arguments.device.empty()) {
        const DeviceDescription named = judged_for_.device;
        judged_for_.device = load_device(arguments.device, target());
        judged_for_.device.mesh_rows = named.mesh_rows;  // the option is about each device
        judged_for_.device.mesh_columns = named.mesh_columns;
    }
}

std::string BinaryFile::describe(const Verdict& verdict, const Image& image) const {
    return describe_verdict(verdict, image, device(), judged_for_.why_not);
}

nlohmann::json BinaryFile::to_json(const Verdict& verdict, const Image& image) const {
    return verdict_to_json(verdict, image, device(), judged_for_.why_not);
}

CliError BinaryFile::refused(const Verdict& verdict, const Image& image) const {
    nlohmann::json refusal = to_json(verdict, image);
    const std::string remedy = refusal.value("remedy", std::string{rule_remedy(verdict.rule)});
    refusal.erase("accepted");
    refusal.erase("remedy");
    return {kRefused,
            fmt::format("{}: {}", files::readable(name_), describe(verdict, image)),
            remedy,
            {{"refusal", refusal}}};
}

std::string BinaryFile::plugin() const {
    const std::optional<Sha256Digest>& digest = targets_.plugin();
    return digest.has_value() ? to_hex(ByteSpan{*digest}) : std::string{};
}

void BinaryFile::require(bool Offers::* offer, const char* what) const {
    const Offers offers = target().offers();
    if (!offers.simulator) {
        throw CliError{kUsage,
                       fmt::format("{}: the target of device family {} has no simulator", name_, device().family)};
    }
    if (!(offers.*offer)) {
        throw CliError{kUsage, fmt::format("{}: the simulator of device family {} does not offer {}", name_,
                                           device().family, what)};
    }
}

}  // namespace pianola::cli
