// Streams of a command set with registers, as binaries that the validator judges.
//
// The accesses that a stream makes are in register_set.h.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>

#include "pianola/development_config.h"
#include "pianola_host/files.h"
#include "tests/proofs/register_set.h"
#include "tests/support/trace_file.h"
#include "tests/support/workload.h"

namespace pianola::test {

using Words = std::vector<std::uint32_t>;

// Memory: weights, of which set-up writes the first half; an input; and what the device writes.
inline constexpr std::uint32_t kBase = 0x8000'0000U;
inline constexpr std::uint32_t kStreamWeightsBytes = 512U;
inline constexpr std::uint32_t kInputBytes = 256U;
inline constexpr std::uint32_t kScratchBytes = 2048U;
inline constexpr std::uint32_t kInputBase = kBase + kStreamWeightsBytes;
inline constexpr std::uint32_t kScratchBase = kInputBase + kInputBytes;
inline constexpr std::uint32_t kEnd = kScratchBase + kScratchBytes;
inline constexpr std::uint32_t kWrittenWeights = kStreamWeightsBytes / 2U;
inline constexpr std::uint32_t kTraceBytes = 64U * 1024U;

inline DeviceDescription register_device() {
    DeviceDescription device;
    device.family = "register-engine";
    device.command_set_id = 7U;
    device.command_set_version = 1U;
    device.dram_base = kBase;
    device.dram_bytes = 1024U * 1024U;
    device.trace_region_bytes = kTraceBytes;
    device.clock_khz = 1000U;
    device.queue_count = 2U;
    device.ring_words = 64U;
    device.grid_columns = 1U;
    device.grid_rows = 1U;
    device.attestation = Attestation::kNothing;
    device.costs = CostKind::kNotPublished;
    device.cost_model = 1U;
    device.weights_layout = 1U;
    device.capacities = &profiles::kDefault;
    return device;
}

// A binary that replays the streams, in order on one queue; or each on a queue of its own, behind the input.
inline std::vector<std::uint8_t> binary_of(const std::vector<Words>& streams, bool on_two_queues) {
    const DeviceDescription device = register_device();
    Workload workload;
    capture::Manifest& manifest = workload.manifest;
    capture::ManifestTarget& target = manifest.target;
    target.device_family = device.family;
    target.command_set_id = device.command_set_id;
    target.command_set_version = device.command_set_version;
    target.dram_base = device.dram_base;
    target.dram_bytes = device.dram_bytes;
    target.trace_region_bytes = device.trace_region_bytes;
    target.clock_khz = device.clock_khz;
    target.queue_count = device.queue_count;
    target.ring_words = device.ring_words;
    target.grid_columns = 1U;
    target.grid_rows = 1U;
    target.attestation = device.attestation;
    target.costs = device.costs;
    target.profile = CapacityProfile::kDefault;
    target.cost_model = 1U;
    target.weights_layout = 1U;
    manifest.regions = {{"weights", RegionKind::kWeights, MemoryKind::kDram, kBase, kStreamWeightsBytes},
                        {"input", RegionKind::kInput, MemoryKind::kDram, kInputBase, kInputBytes},
                        {"scratch", RegionKind::kActivation, MemoryKind::kDram, kScratchBase, kScratchBytes},
                        {"traces", RegionKind::kTrace, MemoryKind::kDram,
                         device.dram_base + device.dram_bytes - kTraceBytes, kTraceBytes}};
    manifest.buffers = {{"weights", 0U, 0U, kWrittenWeights}, {"input", 1U, 0U, kInputBytes}};
    capture::ManifestTensor input;
    input.name = "input";
    input.buffer = 1U;
    input.type = ElementType::kInt8;
    input.shape = {kInputBytes};
    manifest.inputs = {input};
    workload.segments.weights.assign(kWrittenWeights, 1U);
    capture::ManifestScript setup{ScriptKind::kSetup, {{ScriptCommandKind::kWriteBuffer, 0U, 0U, 0U}}};
    capture::ManifestScript step{ScriptKind::kStep, {{ScriptCommandKind::kWriteInput, 0U, 0U, 0U}}};
    if (on_two_queues) {
        step.commands.push_back({ScriptCommandKind::kRecordEvent, 0U, 0U, 0U});
        step.commands.push_back({ScriptCommandKind::kWaitEvent, 1U, 0U, 0U});
    }
    Words all;
    for (std::uint32_t i = 0U; i < streams.size(); ++i) {
        constexpr std::size_t kAlignmentWords = kFileAlignmentBytes / sizeof(std::uint32_t);
        all.resize(((all.size() + kAlignmentWords - 1U) / kAlignmentWords) * kAlignmentWords);
        capture::ManifestTrace trace;
        trace.name = "stream";
        trace.offset_bytes = static_cast<std::uint32_t>(all.size() * sizeof(std::uint32_t));
        trace.word_count = static_cast<std::uint32_t>(streams[i].size());
        for (std::size_t at = 0U; at < streams[i].size();) {
            at += ((streams[i][at] & kCodeMask) == kSetCode) ? 2U : 1U;
            trace.command_count += 1U;
        }
        trace.programs = {{"all", trace.command_count - 1U}};
        manifest.traces.push_back(trace);
        all.insert(all.end(), streams[i].begin(), streams[i].end());
        setup.commands.push_back({ScriptCommandKind::kLoadTrace, 0U, i, 0U});
        step.commands.push_back({ScriptCommandKind::kReplayTrace, on_two_queues ? i : 0U, i, 0U});
    }
    workload.segments.traces = bytes_of(all);
    manifest.scripts = {setup, step};
    manifest.step_deadline_us = 1000U;
    manifest.setup_deadline_us = 1000U;
    manifest.source_name = "registers";
    manifest.tool_version = "0";
    return workload.file();
}

class Streams : public testing::Test {
  protected:
    // The rule that refuses it; "accepted".
    std::string judge(const std::vector<std::uint8_t>& file) {
        const files::AlignedBytes bytes{file};
        const RegisterCommandSet command_set;
        const Status status =
            validate(bytes.view(), device_, command_set, kDevelopmentTrust, *workspace_, image_, *plan_, verdict_);
        EXPECT_EQ(status, verdict_.status);
        return is_ok(status) ? "accepted" : rule_id(verdict_.rule);
    }
    std::string judge(const std::vector<Words>& streams, bool on_two_queues = false) {
        return judge(binary_of(streams, on_two_queues));
    }

    DeviceDescription device_ = register_device();
    std::unique_ptr<PlanWorkspace> workspace_{std::make_unique<PlanWorkspace>()};
    std::unique_ptr<Plan> plan_{std::make_unique<Plan>()};
    Image image_;
    Verdict verdict_;
};

// An operand, as a unit's registers have it.
struct Operand {
    std::uint32_t address{0U};
    std::uint32_t bytes{1U};
    std::uint32_t inner{1U};
    std::uint32_t inner_stride{0U};
    std::uint32_t outer{1U};
    std::uint32_t outer_stride{0U};
};

inline void set_operand(Words& words, std::uint32_t unit, std::uint32_t operand, const Operand& value) {
    const std::uint32_t first = (unit * kUnitRegisters) + (operand * kOperandRegisters);
    const std::array<std::uint32_t, kOperandRegisters> values{value.address,      value.bytes, value.inner,
                                                              value.inner_stride, value.outer, value.outer_stride};
    for (std::uint32_t i = 0U; i < values.size(); ++i) {
        words.push_back(kSetCode | (first + i));
        words.push_back(values.at(i));
    }
}

}  // namespace pianola::test
