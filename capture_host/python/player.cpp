#include "capture_host/python/player.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "capture_host/files/files.h"
#include "hal/refdev/refdev_command_set.h"
#include "hal/sim/sim_device.h"
#include "hal/sim/sim_platform.h"
#include "runtime/session/session.h"

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
    if (!is_ok(parse_envelope(file, envelope, verdict)) || !is_ok(authenticate(file, envelope, verdict)) || !is_ok(open_image(file, envelope, image, verdict))) {
        refuse(verdict);
    }
    const TargetView target = image.target();
    refdev::DeviceSpec spec;
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
    return spec;
}

[[nodiscard]] sim::SimOptions options_for(ByteSpan file, bool threaded) {
    sim::SimOptions options;
    options.spec = device_for(file);
    options.threading = threaded ? sim::Threading::kThreaded : sim::Threading::kInProcess;
    return options;
}

}  // namespace

struct Player::State {
    State(const std::vector<std::uint8_t>& bytes, bool threaded)
        : file{bytes}, device{options_for(file.view(), threaded)}, platform{device}, session{device, platform, command_set} {
        Verdict verdict;
        const auto workspace = std::make_unique<PlanWorkspace>();
        const Status status = session.load(file.view(), *workspace, verdict);
        if (status == Status::kRefused) {
            refuse(verdict);
        }
        check(status);
        manifest = capture::read_manifest(session.image());
    }

    void check(Status status) const {
        if (!is_ok(status)) {
            const FaultRecord& fault = session.fault();
            throw PlayerError{"PLAYER-FAULT", fmt::format("the replay stopped with status {:#x} on queue {} at command {}; "
                                                          "load the binary again",
                                                          static_cast<std::uint32_t>(status), fault.queue, fault.command)};
        }
    }

    files::AlignedBytes file;
    refdev::RefdevCommandSet command_set;
    sim::SimDevice device;
    sim::SimPlatform platform;
    Session session;
    capture::Manifest manifest;
};

Player::Player(const std::vector<std::uint8_t>& file, bool threaded) : state_{std::make_unique<State>(file, threaded)} {}

Player::~Player() = default;

const capture::Manifest& Player::manifest() const noexcept {
    return state_->manifest;
}

std::vector<std::vector<std::uint8_t>> Player::run(const std::vector<std::vector<std::uint8_t>>& inputs) {
    const Plan& plan = state_->session.plan();
    std::vector<ByteSpan> sources;
    for (std::uint32_t i = 0U; i < inputs.size(); ++i) {
        sources.emplace_back(inputs[i].data(), inputs[i].size());
    }
    std::vector<std::vector<std::uint8_t>> outputs;
    for (std::uint32_t i = 0U; i < plan.output_count; ++i) {
        outputs.emplace_back(plan.output_bytes.at(i));
    }
    std::vector<MutableByteSpan> destinations;
    for (std::vector<std::uint8_t>& output : outputs) {
        destinations.emplace_back(output.data(), output.size());
    }
    state_->check(state_->session.run({sources.data(), sources.size()}, {destinations.data(), destinations.size()}));
    return outputs;
}

std::uint32_t Player::self_test() {
    const std::uint32_t count = state_->session.image().self_test_count();
    std::vector<std::uint8_t> scratch(state_->session.output_bytes());
    for (std::uint32_t i = 0U; i < count; ++i) {
        state_->check(state_->session.self_test(i, {scratch.data(), scratch.size()}));
    }
    return count;
}

}  // namespace pianola::python
