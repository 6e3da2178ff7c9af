#include "capture_host/capture/lowering/pl330.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include "capture_host/binary/openssl_digest.h"
#include "capture_host/binary/trace_walk.h"
#include "capture_host/binary/verify.h"
#include "capture_host/capture/assembly.h"
#include "hal/devices/pl330/host/pl330_target.h"
#include "hal/devices/pl330/host/words.h"
#include "hal/devices/refdev/command_encoding.h"
#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/kernel.h"
#include "hal/registry/registry.h"
#include "pianola/session.h"
#include "pianola_host/files.h"

namespace pianola::pl330 {
namespace {

constexpr std::uint32_t kPatternBytes = 8U;  // of one fill constant
constexpr std::uint32_t kRepeatedByte = 0x0101'0101U;

// Constants that fills read from, in a separate region.
class Patterns {
  public:
    explicit Patterns(std::uint32_t base) : base_{base} {}

    std::uint32_t address_of(std::uint32_t pattern) {
        const auto added = offsets_.emplace(pattern, static_cast<std::uint32_t>(bytes_.size()));
        for (std::uint32_t i = 0U; added.second && (i < kPatternBytes); ++i) {
            bytes_.push_back(static_cast<std::uint8_t>(pattern >> ((i % 4U) * 8U)));
        }
        return base_ + added.first->second;
    }

    // The region, its buffer and the set-up's write of it; none if there are no constants.
    void add_to(Lowered& lowered) const {
        if (bytes_.empty()) {
            return;
        }
        capture::Manifest& manifest = lowered.manifest;
        std::vector<std::uint8_t>& weights = lowered.segments.weights;
        weights.resize(capture::align_up(weights.size()));
        const auto size_bytes = static_cast<std::uint32_t>(bytes_.size());
        const auto offset = static_cast<std::uint32_t>(weights.size());
        weights.insert(weights.end(), bytes_.begin(), bytes_.end());
        manifest.buffers.push_back(
            {"fill constants", static_cast<std::uint32_t>(manifest.regions.size()), 0U, size_bytes});
        manifest.regions.push_back(
            {"fill constants", RegionKind::kWeights, MemoryKind::kDram, base_, capture::align_up(size_bytes)});
        auto setup = std::find_if(manifest.scripts.begin(), manifest.scripts.end(),
                                  [](const auto& script) { return script.kind == ScriptKind::kSetup; });
        setup->commands.insert(
            setup->commands.begin(),
            {ScriptCommandKind::kWriteBuffer, 0U, static_cast<std::uint32_t>(manifest.buffers.size() - 1U), offset});
    }

  private:
    std::uint32_t base_;
    std::vector<std::uint8_t> bytes_;
    std::map<std::uint32_t, std::uint32_t> offsets_;
};

// The address after all regions in DRAM except that of traces.
std::uint32_t free_address(const capture::Manifest& manifest) {
    std::uint32_t end = manifest.target.dram_base;
    for (const capture::ManifestRegion& region : manifest.regions) {
        if ((region.memory == MemoryKind::kDram) && (region.kind != RegionKind::kTrace)) {
            end = std::max(end, region.base + region.size_bytes);
        }
    }
    return capture::align_up(end);
}

// Translates one trace's words from the reference device's to the engine's.
class TraceLowering {
  public:
    TraceLowering(const capture::ManifestTrace& trace, Patterns& patterns) : trace_{trace}, patterns_{patterns} {}

    Words run(WordSpan words) {
        Words lowered;
        const auto add = [&](std::uint32_t at, const DecodedCommand& command) {
            Words instructions;
            lower(words.subspan(at, command.length_words), command, instructions);
            counts_.push_back(targets::measure_trace(target().command_set(), instructions).commands);
            targets::append(lowered, instructions);
            command_ += 1U;
        };
        if (!targets::for_each_command(usual_target().command_set(), words, add).is_whole()) {
            refuse("a word that is no command");  // the validator has accepted it
        }
        return lowered;
    }
    // For each command: the number of resulting commands.
    [[nodiscard]] const std::vector<std::uint32_t>& counts() const noexcept { return counts_; }

  private:
    [[noreturn]] void refuse(const std::string& what) const {
        throw LoweringError{
            fmt::format("trace '{}', command {}: {} is nothing that a PL330 can do; it copies and fills", trace_.name,
                        command_, what)};
    }

    void lower(WordSpan words, const DecodedCommand& command, Words& lowered) {
        switch (command.kind) {
            case CommandKind::kLaunch:
                return lower_kernel(command.kernel_id,
                                    words.subspan(refdev::kLaunchHeadWords, words.size() - refdev::kLaunchHeadWords),
                                    lowered);
            case CommandKind::kDispatch:
                return lower_kernel(
                    command.kernel_id,
                    words.subspan(refdev::kDispatchHeadWords, words.size() - refdev::kDispatchHeadWords), lowered);
            case CommandKind::kCopy:
                return append_copy(lowered, words[2], words[1], words[3]);
            case CommandKind::kFill:
                return fill(lowered, words[1], words[2], words[3] * kRepeatedByte);
            case CommandKind::kBarrier:
                lowered.push_back(kBarrier);
                return;
            case CommandKind::kEnd:
                lowered.push_back(kEnd);
                return;
            case CommandKind::kUnspecified:
            default:
                refuse("a command of no kind");
        }
    }

    void lower_kernel(std::uint32_t kernel, WordSpan arguments, Words& lowered) {
        if (kernel == static_cast<std::uint32_t>(refdev::KernelId::kCopy)) {
            refdev::CopyArguments copy{};
            std::memcpy(&copy, arguments.data(), sizeof(copy));
            append_copy(lowered, copy.source, copy.destination, copy.size_bytes);
        } else if (kernel == static_cast<std::uint32_t>(refdev::KernelId::kFill)) {
            refdev::FillArguments filled{};
            std::memcpy(&filled, arguments.data(), sizeof(filled));
            fill(lowered, filled.destination, filled.size_bytes, filled.pattern);
        } else {
            refuse(fmt::format("the kernel {}", refdev::find_kernel(kernel)->name));
        }
    }

    void fill(Words& lowered, std::uint32_t destination, std::uint32_t size_bytes, std::uint32_t pattern) {
        if (pattern == 0U) {
            append_zeros(lowered, destination, size_bytes);
        } else {
            append_pattern(lowered, patterns_.address_of(pattern), destination, size_bytes);
        }
    }

    const capture::ManifestTrace& trace_;
    Patterns& patterns_;
    std::uint32_t command_{0U};
    std::vector<std::uint32_t> counts_;
};

void lower_trace(const capture::ManifestTrace& trace, WordSpan words, Patterns& patterns, Lowered& out) {
    TraceLowering lowering{trace, patterns};
    const Words lowered = lowering.run(words);
    std::vector<capture::ManifestProgram> programs = trace.programs;
    auto next = lowering.counts().begin();
    for (capture::ManifestProgram& program : programs) {
        const auto end = next + program.command_count;
        program.command_count = std::accumulate(next, end, std::uint32_t{0U});
        next = end;
    }
    capture::add_trace(trace.name, lowered, programs, target().command_set(), out.manifest, out.segments);
}

std::vector<std::uint8_t> to_vector(ByteSpan bytes) {
    return {bytes.begin(), bytes.end()};
}

}  // namespace

capture::ManifestTarget target_of(const EngineSpec& engine) {
    DeviceDescription device;
    describe(engine, device);
    return capture::make_target(device);
}

Lowered lower(ByteSpan file, const DeviceDescription& from, const EngineSpec& engine) {
    capture::Verification captured;
    if (!is_ok(captured.validate(file, from, usual_target().command_set(), signing::DevelopmentTrust{}.get()))) {
        throw LoweringError{fmt::format("the reference device refuses the binary: {}", rule_id(captured.verdict.rule))};
    }
    const Image& image = captured.image;
    Lowered lowered{capture::read_manifest(image), {to_vector(image.weights()), {}, to_vector(image.self_tests())}};
    capture::Manifest& manifest = lowered.manifest;
    if ((from.dram_base != engine.dram_base) || (from.dram_bytes != engine.dram_bytes) ||
        (from.l1_base != engine.l1_base) || (from.l1_bytes != engine.l1_bytes) ||
        (from.trace_region_bytes != engine.trace_region_bytes)) {
        throw LoweringError{"the binary was captured with another memory map than the engine's"};
    }
    if (!manifest.parameters.empty()) {
        throw LoweringError{
            fmt::format("declared parameter '{}': its words are another device's", manifest.parameters.front().name)};
    }
    Patterns patterns{free_address(manifest)};
    manifest.target = target_of(engine);
    for (const capture::ManifestTrace& trace : std::exchange(manifest.traces, {})) {
        lower_trace(trace, image.trace_words().subspan(trace.offset_bytes / 4U, trace.word_count), patterns, lowered);
    }
    manifest.step_cycles = 0U;  // the engine publishes none
    patterns.add_to(lowered);
    return lowered;
}

namespace {

class Pl330Lowering final : public targets::Lowering {
  public:
    [[nodiscard]] const char* family() const noexcept override { return kDeviceFamily.data(); }
    // One core per queue: two cores run the work of two queues in parallel.
    [[nodiscard]] DeviceDescription captured_on(const DeviceDescription& device) const override {
        DeviceDescription reference = usual_target().usual_device();
        reference.dram_base = device.dram_base;
        reference.dram_bytes = device.dram_bytes;
        reference.l1_base = device.l1_base;
        reference.l1_bytes = device.l1_bytes;
        reference.trace_region_bytes = device.trace_region_bytes;
        reference.queue_count = device.queue_count;
        reference.grid_columns = device.queue_count;
        reference.grid_rows = 1U;
        reference.dram_banks = 1U;
        reference.capacities = device.capacities;
        return reference;
    }
    [[nodiscard]] targets::LoweredBinary lower(ByteSpan file, const DeviceDescription& device) const override {
        const files::AlignedBytes captured{to_vector(file)};
        const Lowered lowered = pl330::lower(captured.view(), captured_on(device), spec_of(device));
        targets::LoweredBinary binary;
        binary.file = lowered.file();
        binary.trace_bytes = static_cast<std::uint32_t>(lowered.segments.traces.size());
        for (const capture::ManifestTrace& trace : lowered.manifest.traces) {
            binary.commands += trace.command_count;
        }
        judge(binary.file, device);
        return binary;
    }

  private:
    static void judge(const std::vector<std::uint8_t>& file, const DeviceDescription& device) {
        const files::AlignedBytes bytes{file};
        capture::Verification lowered;
        if (!is_ok(lowered.verify(bytes.view(), device, target().command_set(), signing::DevelopmentTrust{}.get()))) {
            throw LoweringError{fmt::format("the lowered binary is refused: {}: {}", rule_id(lowered.verdict.rule),
                                            rule_message(lowered.verdict.rule))};
        }
    }
};

}  // namespace

const targets::Lowering& lowering() {
    static const Pl330Lowering kLowering;
    return kLowering;
}

}  // namespace pianola::pl330
