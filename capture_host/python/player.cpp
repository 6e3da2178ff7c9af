#include "capture_host/python/player.h"

#include <fmt/format.h>

#include <utility>

#include "capture_host/base/text.h"
#include "capture_host/binary/names.h"
#include "pianola_host/replay.h"

namespace pianola::python {
namespace {

[[noreturn]] void refuse(const Verdict& verdict) {
    throw PlayerError{rule_id(verdict.rule),
                      fmt::format("{}: {} (byte {}, value {}, limit {})", files::path_text(verdict.path),
                                  rule_message(verdict.rule), verdict.file_offset, verdict.actual, verdict.limit)};
}

// The device that the file names, before anything else of it is believed. load() checks all of it again.
[[nodiscard]] targets::FileTarget device_for(ByteSpan file, const targets::Targets& targets) {
    targets::FileTarget found = targets::target_of(file, targets);
    if (!found.why_not.empty()) {
        throw PlayerError{"PLAYER-TARGET", "the file is for a device that the simulator can not be: " + found.why_not};
    }
    return found;
}

[[nodiscard]] std::unique_ptr<replay::Replay> replay_of(ByteSpan file, const targets::FileTarget& found, bool threaded,
                                                        const ExecutorDevice& executor) {
    SimulatorOptions options;
    options.threaded = threaded;
    options.executor = executor;
    try {
        return std::make_unique<replay::Replay>(file, *found.target, found.device, options);
    } catch (const replay::NotOffered& error) {
        throw PlayerError{"PLAYER-TARGET", error.what()};
    }
}

}  // namespace

struct Player::State {
    State(ByteSpan file, bool threaded, const ExecutorDevice& executor, const targets::Targets& targets)
        : found{device_for(file, targets)}, replay{replay_of(file, found, threaded, executor)} {
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

Player::Player(const std::vector<std::uint8_t>& file, bool threaded, const ExecutorDevice& executor,
               const targets::Targets& targets)
    : state_{std::make_unique<State>(files::AlignedBytes{file}.view(), threaded, executor, targets)} {}

Player::~Player() = default;

const capture::Manifest& Player::manifest() const noexcept {
    return state_->manifest;
}

void Player::reset_state() {
    state_->check(state_->replay->session().reset_state());
}

std::vector<Player::Tensors> Player::run(const std::vector<Tensors>& inputs) {
    replay::Replay& replay = *state_->replay;
    const Plan& plan = replay.session().plan();
    const bool ends = !plan.is_pipelined && (plan.epilogue.count > 0U) && !inputs.empty();
    try {
        std::vector<Tensors> outputs = replay.run(inputs);
        if (ends) {
            replay.finish(replay.session().stop({}));
        }
        return outputs;
    } catch (const replay::Stopped& stopped) {
        State::fail(stopped);
    } catch (...) {
        // Interrupted: where a step has completed, the epilogue follows as it would have at the end.
        if (ends && is_ok(replay.session().stop({}))) {
            static_cast<void>(replay.session().wait());
        }
        throw;
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
    const Session& session = state_->replay->session();
    const std::uint32_t count = session.self_test_count();
    std::uint32_t passed = 0U;
    try {
        state_->replay->self_test([&passed](std::uint32_t done) { passed = done; });
    } catch (const replay::Stopped& stopped) {
        if ((stopped.status() == Status::kIntegrity) && (session.fault().stage == FaultStage::kSelfTest)) {
            throw PlayerError{"PLAYER-FAULT",
                              fmt::format("self-test vector {} of {} gave another output ({}){}; load the binary again",
                                          passed, count, status_name(stopped.status()),
                                          state_->manifest.parameters.empty()
                                              ? ""
                                              : ": vectors are for the values that parameters had when they were "
                                                "captured, so set those first")};
        }
        State::fail(stopped);
    }
    return count;
}

}  // namespace pianola::python
