#include "tests/timeline/subject.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "capture_host/binary/verify.h"
#include "hal/devices/refdev/command_encoding.h"
#include "hal/devices/refdev/device_spec.h"
#include "hal/devices/refdev/host/refdev_target.h"
#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "pianola/development_config.h"

namespace pianola::timeline {

test::Workload on_cores(std::uint32_t queues) {
    test::Workload workload = test::make_small_workload(queues);
    const std::vector<std::uint32_t> words = test::words_of(workload.segments.traces);
    const std::uint32_t launch_words = refdev::length_words_of(words[0]);
    refdev::RequantizeArguments whole{};
    std::memcpy(&whole, &words[refdev::kLaunchHeadWords], sizeof(whole));
    std::vector<std::uint32_t> changed;
    constexpr std::uint32_t kParts = 3U;
    constexpr std::uint32_t kPartBytes = test::kWorkloadBytes / kParts;
    for (std::uint32_t part = 0U; part < kParts; ++part) {
        refdev::RequantizeArguments arguments = whole;
        arguments.count = kPartBytes;
        arguments.input += part * kPartBytes;
        arguments.output += part * kPartBytes;
        constexpr std::uint32_t kArguments = refdev::kArgumentWords<refdev::RequantizeArguments>;
        std::array<std::uint32_t, kArguments> argument_words{};
        std::memcpy(argument_words.data(), &arguments, sizeof(arguments));
        const std::uint32_t kernel_cycles = 64U + (2U * kPartBytes / 16U) + (2U * kPartBytes / 8U);
        changed.insert(changed.end(),
                       {refdev::header_word(refdev::Opcode::kDispatch, refdev::kDispatchHeadWords + kArguments),
                        part % 2U, words[1], kernel_cycles});
        changed.insert(changed.end(), argument_words.begin(), argument_words.end());
    }
    changed.push_back(refdev::header_word(refdev::Opcode::kBarrier, 1U));
    changed.insert(changed.end(), words.begin() + launch_words, words.end());
    const std::uint64_t step_cycles = workload.manifest.step_cycles;
    EXPECT_TRUE(test::set_trace(workload, changed));
    workload.manifest.traces[0].programs = {{"parts", kParts + 1U}, {"add", 1U}};  // the barrier counts
    workload.manifest.traces[0].cost_cycles = kCoresTrace;
    workload.manifest.step_cycles = step_cycles - kTrace + kCoresTrace;
    return workload;
}

test::Workload pipelined(std::uint32_t steps_in_flight) {
    using Kind = ScriptCommandKind;
    test::Workload workload = test::make_small_workload(2U);
    capture::Manifest& manifest = workload.manifest;
    const capture::ManifestCommand write{Kind::kWriteInput, 1U, 0U, 0U};
    const capture::ManifestCommand written{Kind::kRecordEvent, 1U, 0U, 0U};
    const capture::ManifestCommand wait_written{Kind::kWaitEvent, 0U, 0U, 0U};
    const capture::ManifestCommand replay{Kind::kReplayTrace, 0U, 0U, 0U};
    const capture::ManifestCommand replayed{Kind::kRecordEvent, 0U, 1U, 0U};
    const capture::ManifestCommand wait_replayed{Kind::kWaitEvent, 1U, 1U, 0U};
    const capture::ManifestCommand read{Kind::kReadOutput, 1U, 0U, 0U};
    manifest.scripts = {manifest.scripts.front(),
                        {ScriptKind::kStep, {wait_written, replay, replayed, wait_replayed, read, write, written}},
                        {ScriptKind::kPrologue, {write, written}},
                        {ScriptKind::kEpilogue, {wait_written, replay, replayed, wait_replayed, read}}};
    // Wait, replay, trace, record; wait, read, write, record, completion record.
    manifest.step_cycles = (3U * kCommand) + kTrace + kCommand + (2U * kTransfer) + (2U * kCommand);
    manifest.steps_in_flight = steps_in_flight;
    return workload;
}

test::Workload mixed(std::uint32_t queues) {
    const std::vector<std::uint32_t> words = test::words_of(test::make_small_workload(queues).segments.traces);
    test::Workload workload = on_cores(queues);
    test::add_trace(workload, words);
    workload.manifest.traces.back().programs = {{"requantize", 1U}, {"sum", 1U}};
    test::spread(workload, kMixedShape, Placement::kSharded);
    const DeviceRange first = test::device_range(kMixedShape, 0U);
    const DeviceRange second = test::device_range(kMixedShape, 1U);
    for (capture::ManifestScript& script : workload.manifest.scripts) {
        std::vector<capture::ManifestCommand>& commands = script.commands;
        for (std::size_t i = 0U; i < commands.size(); ++i) {
            if (commands[i].kind == ScriptCommandKind::kLoadTrace) {
                commands[i].devices = (commands[i].object == 0U) ? first : second;
            } else if (commands[i].kind == ScriptCommandKind::kReplayTrace) {
                commands[i].devices = first;
                capture::ManifestCommand other = commands[i];
                other.devices = second;
                other.object = 1U;
                i += 1U;
                commands.insert(commands.begin() + static_cast<std::ptrdiff_t>(i), other);
            } else {
                // Of both.
            }
        }
    }
    return workload;
}

Subject::Subject(std::uint32_t queues) : Subject{test::make_small_workload(queues)} {}

Subject::Subject(const test::Workload& workload) : bytes_{workload.file()} {
    const refdev::RefdevCommandSet command_set;
    refdev::describe(test::small_device(), device_);
    device_.mesh_rows = workload.manifest.target.mesh_rows;
    device_.mesh_columns = workload.manifest.target.mesh_columns;
    capture::Verification proofs;
    const Verdict& verdict = proofs.verdict;
    EXPECT_EQ(proofs.verify(bytes_.view(), device_, command_set, kDevelopmentTrust), Status::kOk)
        << rule_id(verdict.rule) << " " << verdict.actual << " " << verdict.limit;
    workloads_ = read_workloads(proofs.image, *proofs.plan, refdev::target());
}

std::vector<Slice> slices_of(const Pattern& pattern, std::uint32_t steps) {
    std::vector<Slice> slices;
    schedule(pattern, steps, [&slices](const Slice& slice) { slices.push_back(slice); });
    return slices;
}

std::vector<Slice> on_lane(const std::vector<Slice>& slices, LaneKind kind, std::uint32_t index, std::uint32_t device) {
    std::vector<Slice> lane;
    std::copy_if(slices.begin(), slices.end(), std::back_inserter(lane),
                 [&](const Slice& slice) { return slice.lane == Lane{kind, index, device}; });
    return lane;
}

std::vector<Pattern> all_patterns(const std::vector<Workload>& workloads, const HostCost& cost) {
    std::vector<Pattern> patterns;
    for (const Mode& mode : kModes) {
        patterns.push_back(make_pattern(mode, workloads, cost));
    }
    patterns.push_back(session_pattern(workloads, cost));
    return patterns;
}

}  // namespace pianola::timeline
