#include "capture_host/python/player.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "capture_host/files/files.h"
#include "capture_host/writer/status_name.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "hal/sim/device_limits.h"
#include "hal/sim/sim_device.h"
#include "hal/sim/sim_platform.h"
#include "pianola/development_config.h"
#include "pianola/session.h"

namespace pianola::python {
namespace {

[[noreturn]] void refuse(const Verdict& verdict) {
    std::array<char, 256U> path{};
    const std::size_t length = format_path(verdict.path, {path.data(), path.size()});
    throw PlayerError{rule_id(verdict.rule),
                      fmt::format("{}: {} (byte {}, value {}, limit {})", std::string{path.data(), length},
                                  rule_message(verdict.rule), verdict.file_offset, verdict.actual, verdict.limit)};
}

// What the file says of its target, before anything else of it is believed. load() checks all of it again.
[[nodiscard]] refdev::DeviceSpec device_for(ByteSpan file) {
    Verdict verdict;
    reset(verdict);
    Envelope envelope;
    Image image;
    if (!is_ok(parse_envelope(file, envelope, verdict)) ||
        !is_ok(authenticate(file, envelope, kDevelopmentTrust, verdict)) ||
        !is_ok(open_image(file, envelope, profiles::kHost, image, verdict))) {
        refuse(verdict);
    }
    const TargetView target = image.target();
    refdev::DeviceSpec spec;
    spec.capacities = &profiles::kHost;  // whichever target the file is for
    spec.dram_base = target.dram_base;
    spec.dram_bytes = target.dram_bytes;
    spec.l1_base = target.l1_base;
    spec.l1_bytes = target.l1_bytes;
    spec.trace_region_bytes = target.trace_region_bytes;
    spec.clock_khz = target.clock_khz;
    spec.queue_count = target.queue_count;
    spec.grid_columns = target.grid_columns;
    spec.grid_rows = target.grid_rows;
    spec.dram_banks = target.dram_banks;
    const std::string wrong = sim::what_is_wrong_with(spec);
    if (!wrong.empty()) {
        throw PlayerError{"PLAYER-TARGET", "the file is for a device that the simulator can not be: " + wrong};
    }
    return spec;
}

// Views of tensors, as the session takes them.
class Sources {
  public:
    explicit Sources(const Player::Tensors& tensors) {
        for (const std::vector<std::uint8_t>& tensor : tensors) {
            views_.emplace_back(tensor.data(), tensor.size());
        }
    }
    [[nodiscard]] Span<const ByteSpan> view() const noexcept { return {views_.data(), views_.size()}; }

  private:
    std::vector<ByteSpan> views_;
};

class Destinations {
  public:
    explicit Destinations(Player::Tensors& tensors) {
        for (std::vector<std::uint8_t>& tensor : tensors) {
            views_.emplace_back(tensor.data(), tensor.size());
        }
    }
    [[nodiscard]] Span<const MutableByteSpan> view() const noexcept { return {views_.data(), views_.size()}; }

  private:
    std::vector<MutableByteSpan> views_;
};

[[nodiscard]] sim::SimOptions options_for(ByteSpan file, bool threaded) {
    sim::SimOptions options;
    options.spec = device_for(file);
    options.threading = threaded ? sim::Threading::kThreaded : sim::Threading::kInProcess;
    return options;
}

}  // namespace

struct Player::State {
    State(const std::vector<std::uint8_t>& bytes, bool threaded)
        : file{bytes},
          device{options_for(file.view(), threaded)},
          platform{device},
          session{device, platform, command_set, kDevelopmentConfig} {
        Verdict verdict;
        const auto workspace = std::make_unique<PlanWorkspace>();
        const Status status = session.load(file.view(), *workspace, verdict);
        if (status == Status::kRefused) {
            refuse(verdict);
        }
        check(status);
        manifest = capture::read_manifest(workspace->image);
    }

    void check(Status status) const {
        if (!is_ok(status)) {
            const FaultRecord& fault = session.fault();
            throw PlayerError{"PLAYER-FAULT",
                              fmt::format("the replay stopped with {} on queue {} at command {}; load the binary again",
                                          capture::status_name(status), fault.queue, fault.command)};
        }
    }

    // Waits for what has been submitted.
    void finish(Status submitted) {
        check(submitted);
        check(session.wait());
    }

    files::AlignedBytes file;
    refdev::RefdevCommandSet command_set;
    sim::SimDevice device;
    sim::SimPlatform platform;
    Session session;
    capture::Manifest manifest;
};

Player::Player(const std::vector<std::uint8_t>& file, bool threaded)
    : state_{std::make_unique<State>(file, threaded)} {}

Player::~Player() = default;

const capture::Manifest& Player::manifest() const noexcept {
    return state_->manifest;
}

std::vector<Player::Tensors> Player::run(const std::vector<Tensors>& inputs) {
    State& state = *state_;
    const Plan& plan = state.session.plan();
    const std::size_t count = inputs.size();
    std::vector<Tensors> outputs;
    for (std::size_t i = 0U; i < count; ++i) {
        Tensors& output = outputs.emplace_back();
        for (std::uint32_t tensor = 0U; tensor < plan.output_count; ++tensor) {
            output.emplace_back(plan.output_bytes.at(tensor));
        }
    }
    if (plan.is_pipelined && (count > 1U)) {
        state.finish(state.session.start(Sources{inputs.front()}.view()));
        for (std::size_t i = 1U; i < count; ++i) {
            state.finish(state.session.submit(Sources{inputs[i]}.view(), Destinations{outputs[i - 1U]}.view()));
        }
        state.finish(state.session.stop(Destinations{outputs.back()}.view()));
        return outputs;
    }
    for (std::size_t i = 0U; i < count; ++i) {
        state.check(state.session.run(Sources{inputs[i]}.view(), Destinations{outputs[i]}.view()));
    }
    if (!plan.is_pipelined && (plan.epilogue.count > 0U) && (count > 0U)) {
        state.finish(state.session.stop({}));
    }
    return outputs;
}

void Player::set_parameter(const std::string& name, std::uint32_t value) {
    const std::vector<capture::ManifestParameter>& parameters = state_->manifest.parameters;
    for (std::uint32_t i = 0U; i < parameters.size(); ++i) {
        if (parameters[i].name != name) {
            continue;
        }
        const Session::ParameterValue wanted{i, value};
        const Status status = state_->session.set_parameters({&wanted, 1U});
        if (status == Status::kInvalidArgument) {
            throw PlayerError{"PLAYER-PARAMETER", fmt::format("{} takes multiples of {} from {} to {}, not {}", name,
                                                              parameters[i].alignment, parameters[i].minimum,
                                                              parameters[i].maximum, value)};
        }
        state_->check(status);
        return;
    }
    throw PlayerError{"PLAYER-PARAMETER", fmt::format("the binary declares no parameter {}", name)};
}

std::uint32_t Player::self_test() {
    const std::uint32_t count = state_->session.self_test_count();
    std::vector<std::uint8_t> scratch(state_->session.output_bytes());
    for (std::uint32_t i = 0U; i < count; ++i) {
        const Status status = state_->session.self_test(i, {scratch.data(), scratch.size()});
        if ((status == Status::kIntegrity) && (state_->session.fault().stage == FaultStage::kSelfTest)) {
            throw PlayerError{"PLAYER-FAULT",
                              fmt::format("self-test vector {} of {} gave another output ({}){}; load the binary again",
                                          i, count, capture::status_name(status),
                                          state_->manifest.parameters.empty()
                                              ? ""
                                              : ": vectors are for the values that parameters had when they were "
                                                "captured, so set those first")};
        }
        state_->check(status);
    }
    return count;
}

}  // namespace pianola::python
