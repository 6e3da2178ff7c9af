#include "capture_host/python/player.h"

#include <fmt/format.h>

#include <utility>

#include "capture_host/files/text.h"
#include "capture_host/replay/replay.h"
#include "capture_host/targets/targets.h"
#include "capture_host/writer/status_name.h"

namespace pianola::python {
namespace {

[[noreturn]] void refuse(const Verdict& verdict) {
    throw PlayerError{rule_id(verdict.rule),
                      fmt::format("{}: {} (byte {}, value {}, limit {})", files::path_text(verdict.path),
                                  rule_message(verdict.rule), verdict.file_offset, verdict.actual, verdict.limit)};
}

// The device that the file names, before anything else of it is believed. load() checks all of it again.
[[nodiscard]] targets::FileTarget device_for(ByteSpan file) {
    static const targets::Targets kTargets;
    targets::FileTarget found = targets::target_of(file, kTargets);
    if (!found.why_not.empty()) {
        throw PlayerError{"PLAYER-TARGET", "the file is for a device that the simulator can not be: " + found.why_not};
    }
    return found;
}

[[nodiscard]] std::unique_ptr<replay::Replay> replay_of(ByteSpan file, const targets::FileTarget& found, bool threaded,
                                                        std::optional<std::uint32_t> vulkan) {
    SimulatorOptions options;
    options.threaded = threaded;
    options.vulkan = vulkan;
    try {
        return std::make_unique<replay::Replay>(file, *found.target, found.device, options);
    } catch (const replay::NotOffered& error) {
        throw PlayerError{"PLAYER-TARGET", error.what()};
    }
}

}  // namespace

struct Player::State {
    State(ByteSpan file, bool threaded, std::optional<std::uint32_t> vulkan)
        : found{device_for(file)}, replay{replay_of(file, found, threaded, vulkan)} {
        try {
            replay->load();
        } catch (const replay::Refused& refused) {
            refuse(refused.verdict());
        } catch (const replay::Stopped& stopped) {
            fail(stopped);
        }
        manifest = capture::read_manifest(replay->image());
    }

    [[noreturn]] static void fail(const replay::Stopped& stopped) {
        throw PlayerError{"PLAYER-FAULT", fmt::format("{}; load the binary again", stopped.what())};
    }
    void check(Status status) const {
        try {
            replay->check(status);
        } catch (const replay::Stopped& stopped) {
            fail(stopped);
        }
    }

    targets::FileTarget found;
    std::unique_ptr<replay::Replay> replay;
    capture::Manifest manifest;
};

Player::Player(const std::vector<std::uint8_t>& file, bool threaded, std::optional<std::uint32_t> vulkan)
    : state_{std::make_unique<State>(files::AlignedBytes{file}.view(), threaded, vulkan)} {}

Player::~Player() = default;

const capture::Manifest& Player::manifest() const noexcept {
    return state_->manifest;
}

std::vector<Player::Tensors> Player::run(const std::vector<Tensors>& inputs) {
    replay::Replay& replay = *state_->replay;
    try {
        std::vector<Tensors> outputs = replay.run(inputs);
        const Plan& plan = replay.session().plan();
        if (!plan.is_pipelined && (plan.epilogue.count > 0U) && !inputs.empty()) {
            replay.finish(replay.session().stop({}));
        }
        return outputs;
    } catch (const replay::Stopped& stopped) {
        State::fail(stopped);
    }
}

void Player::set_parameter(const std::string& name, std::uint32_t value) {
    try {
        state_->replay->set_parameter(name, value);
    } catch (const replay::NoSuchValue& error) {
        throw PlayerError{"PLAYER-PARAMETER", error.what()};
    } catch (const replay::Stopped& stopped) {
        State::fail(stopped);
    }
}

std::vector<timeline::Performance> Player::performance(const HostCost& cost) const {
    const replay::Replay& replay = *state_->replay;
    const std::vector<timeline::Workload> workloads =
        timeline::read_workloads(replay.image(), replay.session().plan(), *state_->found.target);
    return timeline::measure_operations(replay.file(), state_->found.device, workloads, cost);
}

std::uint32_t Player::self_test() {
    const std::uint32_t count = state_->replay->session().self_test_count();
    std::vector<std::uint8_t> scratch(state_->replay->session().output_bytes());
    for (std::uint32_t i = 0U; i < count; ++i) {
        const Status status = state_->replay->session().self_test(i, {scratch.data(), scratch.size()});
        if ((status == Status::kIntegrity) && (state_->replay->session().fault().stage == FaultStage::kSelfTest)) {
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
