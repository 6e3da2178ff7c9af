#include "capture_host/cli/binary_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "capture_host/base/json.h"
#include "capture_host/binary/names.h"
#include "capture_host/binary/openssl_digest.h"
#include "capture_host/binary/refusal_text.h"
#include "capture_host/cli/cli.h"
#include "capture_host/cli/file_list.h"
#include "capture_host/cli/options.h"
#include "hal/host/device_numbers.h"
#include "pianola/development_config.h"

namespace pianola::cli {

DeviceFile::DeviceFile(const std::string& file_name, const targets::Targets& targets)
    : name_{file_name}, members_(nlohmann::json::object()) {
    if (file_name.empty()) {
        return;
    }
    const Executor* const executor = targets.executor(file_name).executor;
    if (executor != nullptr) {
        fail(fmt::format("only `pianola run` executes on a {} device; here a device description, JSON, is wanted",
                         executor->title()));
    }
    try {
        members_ = files::parse_json(files::load_file(file_name, files::kSmallLimitBytes));
    } catch (const files::JsonError& error) {
        fail(fmt::format("not a JSON object: {}", error.what()));
    }
    if (!members_.is_object()) {
        fail("not a JSON object");
    }
}

void DeviceFile::fail(const std::string& what) const {
    throw CliError{kUsage, fmt::format("--device {}: {}", files::readable(name_), what)};
}

const Target* DeviceFile::target(const targets::Targets& targets) const {
    if (!members_.contains("family")) {
        return nullptr;
    }
    const nlohmann::json& family = members_.at("family");
    const Target* const target = family.is_string() ? targets.find(family.get<std::string>()) : nullptr;
    if (target == nullptr) {
        fail(fmt::format("'family' must be one of {}", targets.families()));
    }
    return target;
}

DeviceDescription DeviceFile::describe(const Target& target) const {
    DeviceDescription device = costs_of(&target)->usual_device();
    for (const auto& [name, value] : members_.items()) {
        const std::string& wanted = name;  // structured bindings cannot be captured
        const nlohmann::json& given = value;
        bool is_known = (wanted == "family") || (wanted == "cost_model");
        if (wanted == "profile") {
            is_known = true;
            device.capacities = given.is_string() ? find_profile(given.get<std::string>()) : nullptr;
            if (device.capacities == nullptr) {
                fail("'profile' must be " + list_profiles("\"", "or"));
            }
        }
        for_each_size(
            [&](const char* member, std::uint32_t& size) {
                if (wanted != member) {
                    return;
                }
                is_known = true;
                if (!given.is_number_unsigned() || (given.get<std::uint64_t>() > UINT32_MAX)) {
                    fail(fmt::format("'{}' must be a number from 0 to 4294967295", wanted));
                }
                size = given.get<std::uint32_t>();
            },
            device);
        if (!is_known) {
            fail(fmt::format("unknown member '{}'", wanted));
        }
    }
    const std::uint32_t given_khz = device.clock_khz;
    set_core_clock(device.core_khz, device.millicycles_per_instruction, device);
    if (members_.contains("clock_khz") && (device.clock_khz != given_khz)) {
        fail(fmt::format("'clock_khz' is {}, but core_khz and millicycles_per_instruction give {}", given_khz,
                         device.clock_khz));
    }
    return device;
}

const Target* DeviceFile::costs_of(const Target* target) const {
    if (!members_.contains("cost_model")) {
        return target;
    }
    const nlohmann::json& given = members_.at("cost_model");
    const Target* const found = given.is_string() ? with_cost_model(*target, given.get<std::string>()) : nullptr;
    if (found == nullptr) {
        fail(fmt::format("'cost_model' must be one of {}", cost_model_names(*target)));
    }
    return found;
}

void DeviceFile::refuse(const std::string& what_is_wrong) const {
    if (!what_is_wrong.empty()) {
        fail(what_is_wrong);
    }
}

std::string cost_model_names(const Target& target) {
    std::string names;
    std::uint32_t number = 1U;
    for (const Target* each = target.with_cost_model(number); each != nullptr; each = target.with_cost_model(number)) {
        names += fmt::format("{}{}", names.empty() ? "" : ", ", each->cost_model_name());
        number += 1U;
    }
    return names;
}

void set_core_clock(std::uint32_t core_khz, std::uint32_t millicycles, DeviceDescription& device) {
    constexpr std::uint64_t kMillis = 1000U;
    if (millicycles == 0U) {
        return;
    }
    device.core_khz = core_khz;
    device.millicycles_per_instruction = millicycles;
    device.clock_khz =
        static_cast<std::uint32_t>(std::min((core_khz * kMillis) / millicycles, std::uint64_t{UINT32_MAX}));
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

std::vector<std::uint8_t> load_binary(const std::string& file_name) {
    return (file_name == kStandardInput) ? files::load_standard_input() : files::load_file(file_name);
}

BinaryFile::BinaryFile(const std::string& file_name, const TargetArguments& arguments)
    : BinaryFile{file_name, load_targets(arguments.plugin), arguments.device} {}

BinaryFile::BinaryFile(const std::string& file_name, targets::Targets targets, const DeviceFile& device)
    : name_{file_name},
      bytes_{load_binary(file_name)},
      targets_{std::move(targets)},
      judged_for_{targets::target_of(bytes_.view(), targets_)} {
    if (!device.is_given()) {
        return;
    }
    const targets::FileTarget named = judged_for_;
    const Target* const chosen = device.target(targets_);
    // The family's own target: a description that names no cost model is of the usual device, not of the binary's.
    judged_for_.target = (chosen != nullptr) ? chosen : targets_.find(named.target->usual_device().family);
    judged_for_.device = device.describe(target());
    const Target* const with_costs = target().with_cost_model(judged_for_.device.cost_model);
    judged_for_.target = (with_costs != nullptr) ? with_costs : judged_for_.target;
    device.refuse(target().what_is_wrong_with(judged_for_.device));
    judged_for_.device.mesh_rows = named.device.mesh_rows;  // the option is about each device
    judged_for_.device.mesh_columns = named.device.mesh_columns;
    if ((judged_for_.target != named.target) && named.why_not.empty()) {
        judged_for_.why_not = fmt::format(
            "the binary is for device family {}: without --device it is judged for its own", named.device.family);
    }
}

std::string BinaryFile::describe(const Verdict& verdict, const Image& image, const std::string& remedy) const {
    return describe_verdict(verdict, image, device(), target(), remedy);
}

nlohmann::json BinaryFile::to_json(const Verdict& verdict, const Image& image, const std::string& remedy) const {
    return verdict_to_json(verdict, image, device(), target(), remedy);
}

std::string BinaryFile::remedy(const Verdict& verdict, const Trust& trust) const {
    return capture::remedy_of(verdict, bytes(), device(), judged_for_.target->command_set(), judged_for_.why_not,
                              trust);
}

CliError BinaryFile::refused(const Verdict& verdict, const Image& image) const {
    const std::string helps = remedy(verdict, signing::DevelopmentTrust{}.get());
    nlohmann::json refusal = to_json(verdict, image, {});
    refusal.erase("accepted");
    return {kRefused,
            fmt::format("{}: {}", files::readable(name_), describe(verdict, image, helps)),
            helps,
            {{"refusal", refusal}}};
}

std::string BinaryFile::plugin() const {
    const std::optional<Sha256Digest>& digest = targets_.plugin();
    return digest.has_value() ? to_hex(ByteSpan{*digest}) : std::string{};
}

void BinaryFile::require(bool Offers::* offer, const char* what) const {
    const Offers offers = target().offers();
    if (!offers.simulator) {
        throw CliError{kUsage, fmt::format("{}: the target of device family {} has no simulator",
                                           files::readable(name_), device().family)};
    }
    if (!(offers.*offer)) {
        throw CliError{kUsage, fmt::format("{}: the simulator of device family {} does not offer {}",
                                           files::readable(name_), device().family, what)};
    }
}

WellFormedFile::WellFormedFile(const std::string& file_name, const std::string& plugin)
    : file{file_name, {"", plugin}} {
    Verdict verdict;
    const signing::DevelopmentTrust trust;
    Authentication known = file.authentication();
    Status status = parse_envelope(file.bytes(), envelope, verdict);
    status = is_ok(status) ? authenticate(file.bytes(), envelope, trust.get(), known, verdict) : status;
    status = is_ok(status) ? open_image(file.bytes(), envelope, profiles::kHost, image, verdict) : status;
    if (!is_ok(status)) {
        throw file.refused(verdict, image);
    }
}

VerifiedFile::VerifiedFile(const std::string& file_name, const TargetArguments& arguments)
    : VerifiedFile{file_name, load_targets(arguments.plugin), arguments.device} {}

VerifiedFile::VerifiedFile(const std::string& file_name, targets::Targets targets, const DeviceFile& described)
    : file_{file_name, std::move(targets), described} {
    const signing::DevelopmentTrust trust;
    if (!is_ok(proofs_.verify(bytes(), device(), target().command_set(), trust.get(), file_.authentication()))) {
        throw file_.refused(proofs_.verdict, proofs_.image);
    }
}

std::string base_name(const std::string& file_name) {
    return files::readable(std::filesystem::path{file_name}.filename().string());
}

std::string base_name_in_source(const std::string& file_name) {
    std::string name = std::filesystem::path{file_name}.filename().string();
    const auto is_strange = [](char each) {
        return (each < ' ') || (each > '~') || (each == '"') || (each == '\\') || (each == '*');
    };
    std::replace_if(name.begin(), name.end(), is_strange, '_');
    return name;
}

}  // namespace pianola::cli
