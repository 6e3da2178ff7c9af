#include "capture_host/link/capture.h"

#include <fmt/format.h>

#include <memory>

#include "capture_host/files/files.h"
#include "capture_host/writer/profiles.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "hal/sim/sim_device.h"
#include "hal/sim/sim_platform.h"
#include "pianola/config.h"
#include "pianola/development_config.h"
#include "pianola/session.h"

namespace pianola::capture {
namespace {

// Everything that one trial of a file on the simulator needs.
struct Trial {
    explicit Trial(const refdev::DeviceSpec& spec) : device{options_for(spec)} {}

    static sim::SimOptions options_for(const refdev::DeviceSpec& spec) {
        sim::SimOptions options;
        options.spec = spec;
        return options;
    }

    void load(ByteSpan file) {
        Verdict verdict;
        const Status status = session.load(file, *workspace, verdict);
        if (!is_ok(status)) {
            std::array<char, 160> path{};
            (void)format_path(verdict.path, Span<char>{path});
            throw std::logic_error{fmt::format("the runtime refuses the binary that was just captured: {} at {} {}",
                                               rule_id(verdict.rule), path.data(), describe_numbers(verdict))};
        }
    }

    sim::SimDevice device;
    sim::SimPlatform platform{device};
    refdev::RefdevCommandSet command_set;
    Session session{device, platform, command_set, kDevelopmentConfig};
    std::unique_ptr<PlanWorkspace> workspace{std::make_unique<PlanWorkspace>()};
};

std::vector<std::uint8_t> record_self_tests(Trial& trial, const CaptureOptions& options) {
    const Plan& plan = trial.session.plan();
    std::vector<std::uint8_t> vectors;
    for (std::uint32_t i = 0U; i < options.self_tests; ++i) {
        std::vector<std::vector<std::uint8_t>> inputs;
        std::vector<ByteSpan> input_views;
        inputs.reserve(plan.input_count);
        for (std::uint32_t k = 0U; k < plan.input_count; ++k) {
            inputs.emplace_back(plan.input_bytes.at(k));
        }
        fill_with_seed(i + 1U, inputs);
        for (const auto& input : inputs) {
            input_views.emplace_back(input.data(), input.size());
            vectors.insert(vectors.end(), input.begin(), input.end());
        }
        std::vector<std::vector<std::uint8_t>> outputs;
        std::vector<MutableByteSpan> output_views;
        for (std::uint32_t k = 0U; k < plan.output_count; ++k) {
            outputs.emplace_back(plan.output_bytes.at(k));
            output_views.emplace_back(outputs.back().data(), outputs.back().size());
        }
        if (!is_ok(trial.session.run({input_views.data(), input_views.size()},
                                     {output_views.data(), output_views.size()}))) {
            throw std::logic_error{"the binary that was just captured does not replay"};
        }
        for (const auto& output : outputs) {
            vectors.insert(vectors.end(), output.begin(), output.end());
        }
        if (options.progress) {
            options.progress(i + 1U, options.self_tests);
        }
    }
    return vectors;
}

}  // namespace

void fill_with_seed(std::uint32_t seed, std::vector<std::vector<std::uint8_t>>& tensors) {
    std::uint32_t state = seed;
    for (auto& tensor : tensors) {
        for (std::uint8_t& byte : tensor) {
            state ^= state << 13U;
            state ^= state >> 17U;
            state ^= state << 5U;
            byte = static_cast<std::uint8_t>(state);
        }
    }
}

Capture capture_workload(const Recorder& recorder, const CaptureOptions& options) {
    if (options.self_tests > kMaxSelfTests) {
        throw LinkError{fmt::format("too many self-tests: {} are wanted, {} fit", options.self_tests, kMaxSelfTests)};
    }
    LinkedWorkload workload = link(recorder, options.link);
    const files::AlignedBytes first{write_trace_binary(workload.manifest, workload.segments)};
    Trial trial{options.link.spec};
    trial.load(first.view());
    if (options.self_tests > 0U) {
        workload.segments.self_tests = record_self_tests(trial, options);
        workload.manifest.self_test_count = options.self_tests;
    }
    Capture capture;
    capture.file = write_trace_binary(workload.manifest, workload.segments);
    capture.summary = workload.summary;
    if (options.self_tests > 0U) {
        Trial again{options.link.spec};
        const files::AlignedBytes last{capture.file};
        again.load(last.view());
    }
    return capture;
}

}  // namespace pianola::capture
