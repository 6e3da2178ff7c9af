// pianola doctor: what is installed here, and whether it works.

#include <fmt/format.h>

#include "capture_host/capture/capture.h"
#include "capture_host/cli/cli.h"
#include "capture_host/cli/devices.h"
#include "capture_host/cli/json_text.h"
#include "capture_host/cli/options.h"
#include "capture_host/cli/terminal.h"
#include "hal/registry/registry.h"
#include "pianola/config.h"
#include "pianola_host/replay.h"
#include "pianola_schema_hash.h"

namespace pianola::cli {
namespace {

struct DoctorArguments {
    bool json{false};
};

constexpr std::uint32_t kBytes = 256U;
constexpr std::uint32_t kVectors = 4U;

#if defined(__clang__)
constexpr const char* kCompiler = "clang " __clang_version__;
#else
constexpr const char* kCompiler = "GCC " __VERSION__;
#endif

// A workload that needs no file: what comes in goes out, through the device's memory.
capture::Capture make_binary(const DeviceDescription& device) {
    capture::Recorder recorder;
    const capture::TensorInfo input{"in", {kBytes}, ElementType::kInt8, 1.0F, 0};
    const capture::TensorInfo output{"out", {kBytes}, ElementType::kInt8, 1.0F, 0};
    const capture::BufferId from = recorder.add_input(input, kBytes);
    const capture::BufferId between = recorder.add_activation("between", kBytes);
    const capture::BufferId to = recorder.add_output(output, kBytes);
    recorder.copy("0 COPY", between, from, kBytes);
    recorder.copy("1 COPY", to, between, kBytes);
    recorder.set_source("doctor", {});
    capture::CaptureOptions options;
    options.link.spec = device;
    options.self_tests = kVectors;
    return capture::capture_workload(recorder, options);
}

// Captures, validates and replays on the usual device's simulator; a changed byte must be refused. What is wrong, or
// nothing.
std::string try_simulator() {
    try {
        const Target& target = usual_target();
        const DeviceDescription device = target.usual_device();
        capture::Capture made = make_binary(device);
        replay::Replay good{{made.file.data(), made.file.size()}, target, device};
        good.load();
        std::vector<std::uint8_t> scratch(good.session().output_bytes());
        for (std::uint32_t i = 0U; i < kVectors; ++i) {
            good.check(good.session().self_test(i, {scratch.data(), scratch.size()}));
        }
        made.file.back() ^= 1U;
        replay::Replay damaged{{made.file.data(), made.file.size()}, target, device};
        try {
            damaged.load();
        } catch (const replay::Refused&) {
            return {};
        }
        return "a damaged binary was loaded";
    } catch (const std::exception& error) {
        return error.what();
    }
}

nlohmann::json build_to_json() {
    return {
        {"version", PIANOLA_VERSION},       {"schema", to_hex(ByteSpan{kSchemaHash})}, {"compiler", kCompiler},
        {"build_type", PIANOLA_BUILD_TYPE}, {"sanitizers", PIANOLA_SANITIZERS},        {"profile", kCapacities.name}};
}

nlohmann::json features_to_json(const nlohmann::json& devices) {
    nlohmann::json features{{"signatures", "OpenSSL signs, BearSSL verifies"},
                            {"plugins", true},
                            {"python_package", PIANOLA_HAS_PYTHON != 0}};
    for (const Executor* const executor : usual_target().executors()) {
        const std::string why_none = fmt::format("no_{}", executor->name());
        features[executor->name()] = executor->is_built();
        features[why_none] = devices.at(why_none);
    }
    return features;
}

nlohmann::json limits_to_json() {
    nlohmann::json profiles = nlohmann::json::array();
    for (const Capacities* const each : kProfiles) {
        profiles.push_back({{"profile", each->name},
                            {"intervals", each->intervals},
                            {"steps_in_flight", each->steps_in_flight},
                            {"mesh_devices", each->mesh_devices}});
    }
    return {{"file_bytes", kMaxFileBytes}, {"inputs", kMaxInputs},        {"outputs", kMaxOutputs},
            {"traces", kMaxTraces},        {"self_tests", kMaxSelfTests}, {"profiles", profiles}};
}

std::string text_of(const nlohmann::json& json, const nlohmann::json& devices) {
    const auto said = [&json](const char* name) {
        return json.at("features").at(name).get<bool>() ? "built" : "not built";
    };
    std::string executors;
    for (const Executor* const executor : usual_target().executors()) {
        executors += fmt::format("  {:<11} {}\n", executor->title(), said(executor->name()));
    }
    const bool is_plain = json.at("build").at("sanitizers").get<std::string>().empty();
    return fill("pianola {version}\n  schema      {schema}\n  built       {compiler}, {build_type}", json.at("build")) +
           (is_plain ? "" : fill(", sanitizers {sanitizers}", json.at("build"))) +
           fill(
               ", profile {build/profile}\n"
               "features\n  signatures  {features/signatures}\n  plugins     --plugin\n",
               json) +
           fmt::format("  Python      package {}\n{}devices\n", said("python_package"), executors) +
           devices_text(devices, targets::Targets{}, "  ") +
           fill(
               "limits\n  binary      {file_bytes} bytes, {inputs} inputs, {outputs} outputs, {traces} traces, "
               "{self_tests} self-tests\n",
               json.at("limits")) +
           fill_each(
               "  {profile:<11} {intervals} intervals, {steps_in_flight} steps in flight, {mesh_devices} devices of a "
               "mesh\n",
               json.at("limits").at("profiles"));
}

int examine(const DoctorArguments& arguments) {
    const nlohmann::json devices = list_devices(targets::Targets{});
    const std::string wrong = try_simulator();
    const nlohmann::json json{{"healthy", wrong.empty()},
                              {"build", build_to_json()},
                              {"features", features_to_json(devices)},
                              {"devices", devices.at("devices")},
                              {"limits", limits_to_json()},
                              {"self_test", {{"passed", wrong.empty()}, {"vectors", kVectors}, {"wrong", wrong}}}};
    if (arguments.json) {
        fmt::print("{}\n", json_text(json));
    } else {
        fmt::print("{}self-test\n  simulator   {}\n", text_of(json, devices),
                   wrong.empty() ? paint(stdout, Colour::kGood,
                                         fmt::format("captured, validated and replayed {} vectors; a damaged binary "
                                                     "was refused",
                                                     kVectors))
                                 : paint(stdout, Colour::kBad, "fails: " + wrong));
    }
    return wrong.empty() ? kDone : kReplayFault;
}

}  // namespace

void add_doctor(CLI::App& app, Action& action) {
    const auto [command, arguments] = add_command(
        app, action, "doctor", "Says what is installed, which devices there are, and whether it works", examine);
    command->footer(
        "Examples:\n"
        "  pianola doctor\n"
        "  pianola doctor --json\n\n"
        "Captures, validates and replays a small workload of its own on the simulator. Exit code 0: all is well; 4: "
        "it\n"
        "is not. What is not built, or a machine without a GPU, is no failure.");
    command->add_flag("--json", arguments->json, "Print as JSON");
}

}  // namespace pianola::cli
