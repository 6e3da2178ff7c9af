// pianola_copy_binary OUT.ptb [DRAM-BYTES]: a trace binary for a CopyNpu. It copies its input of 64 bytes twice.
#include <cstdlib>
#include <string>

#include "capture_host/files/files.h"
#include "capture_host/link/assembly.h"
#include "capture_host/targets/trace_walk.h"
#include "capture_host/writer/manifest.h"
#include "tests/plugin/copy_npu.h"

namespace pianola::copy_npu {
namespace {

constexpr std::uint32_t kBytes = 64U;
constexpr std::uint32_t kInput = kDramBase;
constexpr std::uint32_t kMiddle = kInput + kBytes;
constexpr std::uint32_t kOutput = kMiddle + kBytes;
constexpr std::uint32_t kDeadlineUs = 100'000U;

std::vector<std::uint8_t> make_binary(const DeviceDescription& device) {
    const targets::Words words{kCopy, kMiddle, kInput, kBytes, kCopy, kOutput, kMiddle, kBytes, kEnd};
    const std::uint64_t trace_cycles = (2U * kBytes) + 1U;
    capture::Manifest manifest;
    manifest.target = capture::make_target(device);
    manifest.regions = {
        {"in", RegionKind::kInput, MemoryKind::kDram, kInput, kBytes},
        {"middle", RegionKind::kActivation, MemoryKind::kDram, kMiddle, kBytes},
        {"out", RegionKind::kOutput, MemoryKind::kDram, kOutput, kBytes},
        {"traces", RegionKind::kTrace, MemoryKind::kDram,
         device.dram_base + (device.dram_bytes - device.trace_region_bytes), device.trace_region_bytes}};
    manifest.buffers = {{"in", 0U, 0U, kBytes}, {"out", 2U, 0U, kBytes}};
    manifest.inputs = {{"in", 0U, ElementType::kInt8, {kBytes}, 1.0F, 0, 1U}};
    manifest.outputs = {{"out", 1U, ElementType::kInt8, {kBytes}, 1.0F, 0, 1U}};
    manifest.traces = {{"main", 0U, static_cast<std::uint32_t>(words.size()), 3U, trace_cycles, {{"copies", 2U}}}};
    manifest.scripts = {{ScriptKind::kSetup, {{ScriptCommandKind::kLoadTrace, 0U, 0U, 0U}}},
                        {ScriptKind::kStep,
                         {{ScriptCommandKind::kWriteInput, 0U, 0U, 0U},
                          {ScriptCommandKind::kReplayTrace, 0U, 0U, 0U},
                          {ScriptCommandKind::kReadOutput, 0U, 0U, 0U}}}};
    manifest.step_cycles = kBytes + 1U + trace_cycles + kBytes + 1U;  // transfers, replay, notification
    manifest.step_deadline_us = kDeadlineUs;
    manifest.setup_deadline_us = kDeadlineUs;
    manifest.source_name = "written by hand";
    manifest.tool_version = "pianola tests";
    capture::Segments segments;
    segments.traces = targets::bytes_of(words);
    return capture::write_trace_binary(manifest, segments);
}

}  // namespace
}  // namespace pianola::copy_npu

int main(int argc, char** argv) {
    pianola::DeviceDescription device = pianola::copy_npu::usual_device();
    if (argc > 2) {
        device.dram_bytes = static_cast<std::uint32_t>(std::stoul(argv[2]));
    }
    pianola::files::store_file(argv[1], pianola::copy_npu::make_binary(device));
    return 0;
}
