#include "capture_host/api/workload_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "capture_host/files/files.h"
#include "capture_host/writer/profiles.h"
#include "capture_host/writer/status_name.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "hal/sim/sim_device.h"
#include "hal/sim/sim_platform.h"
#include "pianola/development_config.h"
#include "pianola/session.h"

namespace pianola::host {
namespace {

using Tensors = std::vector<std::vector<std::uint8_t>>;

sim::SimOptions sim_options(const refdev::DeviceSpec& spec) {
    sim::SimOptions options;
    options.spec = spec;
    options.memory_is_visible = false;  // the way that every device has
    return options;
}

// "; ..." where a capacity refuses the file.
std::string remedy_for(ByteSpan file, const refdev::DeviceSpec& spec, const Verdict& verdict) {
    DeviceDescription device;
    refdev::describe(spec, device);
    const std::string remedy =
        capture::capacity_remedy(file, device, refdev::RefdevCommandSet{}, kDevelopmentTrust, verdict);
    return remedy.empty() ? remedy : ("; " + remedy);
}

class Trial {
  public:
    Trial(const std::vector<std::uint8_t>& file, const refdev::DeviceSpec& spec)
        : file_{file}, device_{sim_options(spec)} {
        Verdict verdict;
        if (!is_ok(session_.load(file_.view(), *workspace_, verdict))) {
            throw TrialRefused{verdict, remedy_for(file_.view(), spec, verdict)};
        }
    }

    std::vector<Tensors> run(const std::vector<Tensors>& inputs) {
        const Plan& plan = session_.plan();
        std::vector<Tensors> all;
        for (std::size_t i = 0U; i < inputs.size(); ++i) {
            all.push_back(empty_outputs(plan));
        }
        if (plan.is_pipelined && (inputs.size() > 1U)) {
            check(session_.start(read_views(inputs.front())));
            finish();
            for (std::size_t i = 1U; i < inputs.size(); ++i) {
                check(session_.submit(read_views(inputs[i]), write_views(all[i - 1U])));
                finish();
            }
            check(session_.stop(write_views(all.back())));
            finish();
            return all;
        }
        for (std::size_t i = 0U; i < inputs.size(); ++i) {
            check(session_.run(read_views(inputs[i]), write_views(all[i])));
        }
        return all;
    }

    // Where a self-test of the file fails, what was done before it; empty where none does.
    std::string failing_self_test() {
        const std::uint32_t count = session_.self_test_count();
        if (count == 0U) {
            return {};
        }
        std::vector<std::uint8_t> scratch(session_.output_bytes());
        const auto fails = [&](std::uint32_t vector) {
            const Status status = session_.self_test(vector, {scratch.data(), scratch.size()});
            if (!is_ok(status) && (status != Status::kIntegrity)) {
                check(status);
            }
            return !is_ok(status);
        };
        // A step that no vector has: state of its own, or that comes back with the vectors, shows after it.
        Tensors inputs;
        for (std::uint32_t i = 0U; i < session_.plan().input_count; ++i) {
            const ByteSpan first = session_.self_tests().subspan(offset_of_input(i), session_.plan().input_bytes.at(i));
            std::vector<std::uint8_t>& other = inputs.emplace_back(first.size());
            std::transform(first.begin(), first.end(), other.begin(),
                           [](std::uint8_t byte) { return static_cast<std::uint8_t>(~byte); });
        }
        (void)run({inputs});
        for (std::uint32_t i = 0U; i < count; ++i) {
            if (fails(i)) {
                return fmt::format("vector {} of {} gives another output when it is replayed again", i, count);
            }
        }
        for (std::uint32_t i = count; i > 0U; --i) {
            if (fails(i - 1U)) {
                return fmt::format("vector {} of {} gives another output in another order", i - 1U, count);
            }
        }
        return {};
    }

  private:
    [[nodiscard]] std::size_t offset_of_input(std::uint32_t input) const {
        std::size_t offset = 0U;
        for (std::uint32_t i = 0U; i < input; ++i) {
            offset += session_.plan().input_bytes.at(i);
        }
        return offset;
    }
    static Tensors empty_outputs(const Plan& plan) {
        Tensors outputs;
        for (std::uint32_t k = 0U; k < plan.output_count; ++k) {
            outputs.emplace_back(plan.output_bytes.at(k));
        }
        return outputs;
    }
    Span<const ByteSpan> read_views(const Tensors& tensors) {
        reads_.clear();
        for (const auto& tensor : tensors) {
            reads_.emplace_back(tensor.data(), tensor.size());
        }
        return {reads_.data(), reads_.size()};
    }
    Span<const MutableByteSpan> write_views(Tensors& tensors) {
        writes_.clear();
        for (auto& tensor : tensors) {
            writes_.emplace_back(tensor.data(), tensor.size());
        }
        return {writes_.data(), writes_.size()};
    }
    static void check(Status status) {
        if (!is_ok(status)) {
            throw HostError{HostRule::kCaptureRefused,
                            fmt::format("the captured workload was accepted, but does not replay ({})",
                                        capture::status_name(status))};
        }
    }
    void finish() { check(session_.wait()); }

    files::AlignedBytes file_;
    sim::SimDevice device_;
    sim::SimPlatform platform_{device_};
    refdev::RefdevCommandSet command_set_;
    Session session_{device_, platform_, command_set_, kDevelopmentConfig};
    std::unique_ptr<PlanWorkspace> workspace_{std::make_unique<PlanWorkspace>()};
    std::vector<ByteSpan> reads_;
    std::vector<MutableByteSpan> writes_;
};

[[noreturn]] void differ(const std::string& what, std::size_t byte, std::uint8_t is, std::uint8_t should) {
    throw HostError{HostRule::kCompare,
                    fmt::format("{} differs at byte {}: it is 0x{:02X}, 0x{:02X} is right", what, byte, is, should)};
}

void compare(const std::string& what, const std::vector<std::uint8_t>& is, const std::vector<std::uint8_t>& should) {
    if (is.size() != should.size()) {
        throw HostError{HostRule::kCompare,
                        fmt::format("{} has {} bytes, {} are right", what, is.size(), should.size())};
    }
    for (std::size_t i = 0U; i < is.size(); ++i) {
        if (is[i] != should[i]) {
            differ(what, i, is[i], should[i]);
        }
    }
}

}  // namespace

TrialRefused::TrialRefused(const Verdict& verdict, const std::string& remedy)
    : HostError{HostRule::kCaptureRefused,
                fmt::format("the runtime does not accept the file: {}{}", pianola::rule_id(verdict.rule), remedy)},
      verdict_{verdict},
      remedy_{remedy} {}

std::vector<Tensors> replay_workload(const CapturedWorkload& workload, const refdev::DeviceSpec& spec,
                                     const std::vector<Tensors>& inputs) {
    return Trial{workload.file, spec}.run(inputs);
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

void compare_to_capture(const CapturedWorkload& workload, const refdev::DeviceSpec& spec) {
    compare_to_golden(replay_workload(workload, spec, workload.inputs), workload.outputs);
}

std::string try_workload(const CapturedWorkload& workload, const refdev::DeviceSpec& spec) {
    Trial trial{workload.file, spec};
    compare_to_golden(trial.run(workload.inputs), workload.outputs);
    return trial.failing_self_test();
}

}  // namespace pianola::host
