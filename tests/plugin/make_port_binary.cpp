// pianola_port_binary PLUGIN OUT.ptb HEADER END [DRAM-BYTES]: a trace binary for the device of a plugin, which copies
// its input of 64 bytes twice. HEADER begins a copy (destination, source, bytes follow), END ends a trace.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "capture_host/binary/trace_walk.h"
#include "pianola_host/files.h"
#include "pianola_host/manifest.h"
#include "pianola_host/targets.h"

namespace pianola {
namespace {

constexpr std::uint32_t kBytes = 64U;
constexpr std::uint32_t kDeadlineUs = 1'000'000U;

std::uint32_t number(const char* text) {
    return static_cast<std::uint32_t>(std::stoul(text, nullptr, 0));
}

std::vector<std::uint8_t> make_binary(const Target& target, const DeviceDescription& device, std::uint32_t header,
                                      std::uint32_t end) {
    const std::uint32_t input = device.dram_base;
    const std::uint32_t middle = input + kBytes;
    const std::uint32_t output = middle + kBytes;
    const targets::Words words{header, middle, input, kBytes, header, output, middle, kBytes, end};
    const targets::TraceMeasure measured = targets::measure_trace(target.command_set(), words);
    capture::Manifest manifest;
    manifest.target = capture::make_target(device);
    capture::name_kernels(target.command_set(), measured.kernels, manifest.target);
    manifest.regions = {
        {"in", RegionKind::kInput, MemoryKind::kDram, input, kBytes},
        {"middle", RegionKind::kActivation, MemoryKind::kDram, middle, kBytes},
        {"out", RegionKind::kOutput, MemoryKind::kDram, output, kBytes},
        {"traces", RegionKind::kTrace, MemoryKind::kDram,
         device.dram_base + (device.dram_bytes - device.trace_region_bytes), device.trace_region_bytes}};
    manifest.buffers = {{"in", 0U, 0U, kBytes}, {"out", 2U, 0U, kBytes}};
    manifest.inputs = {{"in", 0U, ElementType::kInt8, {kBytes}, 1.0F, 0, 1U}};
    manifest.outputs = {{"out", 1U, ElementType::kInt8, {kBytes}, 1.0F, 0, 1U}};
    manifest.traces = {{"main",
                        0U,
                        static_cast<std::uint32_t>(words.size()),
                        measured.commands,
                        measured.cycles,
                        {{"copies", measured.commands - 1U}}}};
    manifest.scripts = {{ScriptKind::kSetup, {{ScriptCommandKind::kLoadTrace, 0U, 0U, 0U}}},
                        {ScriptKind::kStep,
                         {{ScriptCommandKind::kWriteInput, 0U, 0U, 0U},
                          {ScriptCommandKind::kReplayTrace, 0U, 0U, 0U},
                          {ScriptCommandKind::kReadOutput, 0U, 0U, 0U}}}};
    manifest.step_cycles = measured.cycles;
    for (const QueueCommandKind kind :
         {QueueCommandKind::kWrite, QueueCommandKind::kReplay, QueueCommandKind::kRead, QueueCommandKind::kNotify}) {
        QueueCommand command;
        command.kind = kind;
        command.size_bytes = kBytes;
        manifest.step_cycles += target.command_set().queue_cycles(command);
    }
    manifest.step_deadline_us = kDeadlineUs;
    manifest.setup_deadline_us = kDeadlineUs;
    manifest.source_name = "written by hand";
    manifest.tool_version = "pianola tests";
    capture::Segments segments;
    segments.traces = targets::bytes_of(words);
    segments.self_tests.assign(kBytes + kBytes, 1U);  // one vector: what is copied is what comes
    manifest.self_test_origins = {SelfTestOrigin::kCaptured};
    return capture::write_trace_binary(manifest, segments);
}

}  // namespace
}  // namespace pianola

int main(int argc, char** argv) {
    if ((argc != 5) && (argc != 6)) {
        (void)std::fputs("usage: pianola_port_binary PLUGIN OUT.ptb HEADER END [DRAM-BYTES]\n", stderr);
        return 2;
    }
    const pianola::targets::Targets targets{argv[1]};
    pianola::DeviceDescription device = targets.usual().usual_device();
    if (argc == 6) {
        device.dram_bytes = pianola::number(argv[5]);
    }
    pianola::files::store_file(
        argv[2], pianola::make_binary(targets.usual(), device, pianola::number(argv[3]), pianola::number(argv[4])));
    return 0;
}
