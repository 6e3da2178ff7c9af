#include "capture_host/host/capture/workload_trial.h"

#include <fmt/format.h>

#include <algorithm>

#include "capture_host/binary/names.h"
#include "capture_host/binary/refusal_text.h"
#include "hal/registry/registry.h"
#include "pianola/development_config.h"
#include "pianola_host/replay.h"

namespace pianola::host {
namespace {

using replay::Replay;
using replay::Tensors;

// "; ..." if a capacity refuses the file.
std::string remedy_for(ByteSpan file, const DeviceDescription& device, const Verdict& verdict) {
    const std::string remedy =
        capture::capacity_remedy(file, device, usual_target().command_set(), kDevelopmentTrust, verdict);
    return remedy.empty() ? remedy : ("; " + remedy);
}

// Calls act(), which replays.
template <typename Act>
auto replaying(Act act) {
    try {
        return act();
    } catch (const replay::Stopped& stopped) {
        throw HostError{
            HostRule::kCaptureRefused,
            fmt::format("the captured workload was accepted, but does not replay ({})", status_name(stopped.status()))};
    }
}

std::unique_ptr<Replay> replay_of(ByteSpan file, const DeviceDescription& device, std::optional<std::uint32_t> vulkan) {
    SimulatorOptions options;
    options.memory_is_visible = false;  // as every device does
    options.vulkan = vulkan;
    try {
        return std::make_unique<Replay>(file, usual_target(), device, options);
    } catch (const replay::NotOffered& refused) {
        throw HostError{HostRule::kDeviceOptions, refused.what()};
    }
}

class Trial {
  public:
    Trial(const std::vector<std::uint8_t>& file, const DeviceDescription& device, std::optional<std::uint32_t> vulkan)
        : device_{device}, replay_{replay_of({file.data(), file.size()}, device_, vulkan)} {
        try {
            replaying([this] { replay_->load(); });
        } catch (const replay::Refused& refused) {
            throw TrialRefused{refused.verdict(), remedy_for(replay_->file(), device_, refused.verdict())};
        }
    }

    std::vector<Tensors> run(const std::vector<Tensors>& inputs) {
        return replaying([&] { return replay_->run(inputs); });
    }

    // Replays all vectors of the file.
    void test() {
        replaying([this] { replay_->self_test(); });
    }

    // `spec` is that of each device.
    Trial(const CapturedWorkload& workload, const DeviceDescription& spec, std::optional<std::uint32_t> vulkan)
        : Trial{workload.file, device_of(workload.manifest.target, spec), vulkan} {}

  private:
    // The mesh of the workload, and the profile that it needs.
    static DeviceDescription device_of(const capture::ManifestTarget& target, const DeviceDescription& spec) {
        DeviceDescription device = spec;
        device.mesh_rows = target.mesh_rows;
        device.mesh_columns = target.mesh_columns;
        device.capacities = &profile_of(target);
        return device;
    }

    DeviceDescription device_;
    std::unique_ptr<Replay> replay_;
};

void compare(const std::string& what, const std::vector<std::uint8_t>& is, const std::vector<std::uint8_t>& should) {
    if (is.size() != should.size()) {
        throw HostError{HostRule::kCompare,
                        fmt::format("{} has {} bytes, {} are right", what, is.size(), should.size())};
    }
    for (std::size_t i = 0U; i < is.size(); ++i) {
        if (is[i] != should[i]) {
            throw HostError{HostRule::kCompare, fmt::format("{} differs at byte {}: it is 0x{:02X}, 0x{:02X} is right",
                                                            what, i, is[i], should[i])};
        }
    }
}

}  // namespace

const Capacities& profile_of(const capture::ManifestTarget& target) {
    const Capacities* const profile = find_profile(target.profile);
    return (profile != nullptr) ? *profile : *kProfiles.back();
}

TrialRefused::TrialRefused(const Verdict& verdict, const std::string& remedy)
    : HostError{HostRule::kCaptureRefused,
                fmt::format("the runtime does not accept the file: {}{}", pianola::rule_id(verdict.rule), remedy)},
      verdict_{verdict},
      remedy_{remedy} {}

std::vector<Tensors> replay_workload(const CapturedWorkload& workload, const DeviceDescription& spec,
                                     const std::vector<Tensors>& inputs, std::optional<std::uint32_t> vulkan) {
    return Trial{workload, spec, vulkan}.run(inputs);
}

void compare_to_golden(const std::vector<Tensors>& outputs, const std::vector<Tensors>& golden) {
    if (outputs.size() != golden.size()) {
        throw HostError{HostRule::kCompare,
                        fmt::format("{} inferences are compared with {}", outputs.size(), golden.size())};
    }
    for (std::size_t i = 0U; i < outputs.size(); ++i) {
        if (outputs[i].size() != golden[i].size()) {
            throw HostError{HostRule::kCompare, fmt::format("inference {} has {} outputs, {} are right", i,
                                                            outputs[i].size(), golden[i].size())};
        }
        for (std::size_t k = 0U; k < outputs[i].size(); ++k) {
            compare(fmt::format("output {} of inference {}", k, i), outputs[i][k], golden[i][k]);
        }
    }
}

void compare_to_capture(const CapturedWorkload& workload, const DeviceDescription& spec,
                        std::optional<std::uint32_t> vulkan) {
    compare_to_golden(replay_workload(workload, spec, workload.inputs, vulkan), workload.outputs);
}

void try_load(const std::vector<std::uint8_t>& file, const DeviceDescription& spec) {
    static_cast<void>(Trial{file, spec, std::nullopt});
}

void try_workload(const CapturedWorkload& workload, const DeviceDescription& spec) {
    Trial trial{workload, spec, std::nullopt};
    compare_to_golden(trial.run(workload.inputs), workload.outputs);
    trial.test();
}

}  // namespace pianola::host
