// Crash reports of others, as damage of the same class here: each is refused, by name, before anything is touched.
// docs/evidence/fuzzing.md tells which report is which, and why some classes do not exist in this format.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "capture_host/capture/link.h"
#include "capture_host/tflite/import.h"
#include "hal/devices/refdev/command_encoding.h"
#include "tests/runtime/rule_case.h"
#include "tests/support/verifies.h"
#include "tests/tflite/model_builder.h"
#include "trace_binary_generated.h"

namespace pianola::test {
namespace {

using capture::Manifest;
using refdev::header_word;
using refdev::Opcode;
using tflite::ModelSpec;
using tflite::TensorSpec;

constexpr std::uint32_t kWholeBytes = 0x1'0000U;  // times itself: nothing, in 32 bits

// The verdict on a file, as `pianola verify` gives it: rule and field.
std::string verdict_on(const Mutant& mutant) {
    Validator validator{mutant.device};
    if (is_ok(validator.validate(mutant.file))) {
        return "accepted";
    }
    return std::string{rule_id(validator.verdict().rule)} + " " + path_text(validator.verdict());
}
std::string verdict_on(const std::function<void(Manifest&)>& edit) {
    return verdict_on(manifest_edit(edit)());
}
std::string verdict_on_bytes(const BytesEdit& edit) {
    return verdict_on(bytes_edit(edit)());
}
// One command in front of the small workload's own; `base` is where the activations lie.
std::string verdict_on_command(const std::function<std::vector<std::uint32_t>(std::uint32_t base)>& command) {
    return verdict_on(workload_edit([&command](Workload& workload, DeviceDescription& /*device*/) {
        std::vector<std::uint32_t> words = command(workload.manifest.regions[3].base);
        const std::vector<std::uint32_t> old = words_of(workload.segments.traces);
        words.insert(words.end(), old.begin(), old.end());
        set_trace(workload, words);
    })());
}

// x -> QUANTIZE -> middle -> QUANTIZE -> y
ModelSpec chain() {
    constexpr std::int32_t kQuantize = 114;
    ModelSpec model;
    model.tensors = {TensorSpec{"x", {1, 4}}, TensorSpec{"middle", {1, 4}}, TensorSpec{"y", {1, 4}}};
    model.operators = {{kQuantize, {0}, {1}}, {kQuantize, {1}, {2}}};
    model.inputs = {0};
    model.outputs = {2};
    return model;
}

std::string import_of(const ModelSpec& model) {
    const std::vector<std::uint8_t> file = build_model(model);
    capture::Recorder recorder;
    try {
        tflite::import_model({file.data(), file.size()}, "model", {}, recorder);
    } catch (const tflite::ImportError& error) {
        return error.what();
    }
    return "imported";
}
std::string import_of(const std::function<void(ModelSpec&)>& edit) {
    ModelSpec model = chain();
    edit(model);
    return import_of(model);
}

TEST(PeerReports, TheSubjectsAreSoundToStartWith) {
    EXPECT_EQ(verdict_on([](Manifest& /*manifest*/) {}), "accepted");
    EXPECT_EQ(verdict_on_command([](std::uint32_t base) {
                  return std::vector<std::uint32_t>{header_word(Opcode::kFill, refdev::kFillWords), base, 16U, 7U};
              }),
              "accepted");
    EXPECT_EQ(import_of(chain()), "imported");
}

// --- ExecuTorch ---

TEST(PeerReports, ExecuTorchAllocationsThatOverlapAfterAnOverflow) {
    EXPECT_EQ(verdict_on([](Manifest& manifest) { manifest.regions[2].base = 0xFFFF'FFC0U; }),
              "LAY-REGION-BOUNDS regions[2].size_bytes");
    EXPECT_EQ(verdict_on([](Manifest& manifest) { manifest.regions[1].size_bytes = 0xFFFF'FFFFU; }),
              "LAY-REGION-BOUNDS regions[1].size_bytes");
    EXPECT_EQ(verdict_on([](Manifest& manifest) {
                  manifest.regions[1].size_bytes = (manifest.regions[2].base - manifest.regions[1].base) + 1U;
              }),
              "LAY-REGION-OVERLAP regions[2].base");
}

TEST(PeerReports, ExecuTorchObjectsOutsideTheirArea) {
    EXPECT_EQ(verdict_on([](Manifest& manifest) { manifest.buffers[1].offset_bytes = 0xFFFF'FFF0U; }),
              "LAY-BUFFER buffers[1].size_bytes");
    EXPECT_EQ(verdict_on([](Manifest& manifest) { manifest.buffers[1].offset_bytes = 1U; }),
              "LAY-BUFFER buffers[1].size_bytes");
}

TEST(PeerReports, ExecuTorchSizesThatMultiplyToLess) {
    verifies({"swr~hostile-bytes~1"});
    EXPECT_EQ(
        verdict_on([](Manifest& manifest) { manifest.inputs[0].shape = {kWholeBytes, kWholeBytes, kWorkloadBytes}; }),
        "LAY-TENSOR-SIZE inputs[0].shape");
    EXPECT_EQ(verdict_on(
                  [](Manifest& manifest) { manifest.outputs[0].shape = {0x1000'0000U + (kWorkloadBytes / 16U), 16U}; }),
              "LAY-TENSOR-SIZE outputs[0].shape");
    EXPECT_EQ(import_of([](ModelSpec& model) { model.tensors[1].shape = {kWholeBytes, kWholeBytes, 4}; }),
              "operator 0 (QUANTIZE): 'middle': tensors above 67108864 bytes are not supported");
}

TEST(PeerReports, ExecuTorchDataLongerThanWhatIsThere) {
    EXPECT_EQ(verdict_on_bytes([](auto& file) { store32(file, kSegmentTableOffset + 8U, 0x0100'0000U); }),
              "ENV-SEGMENT-SIZE header.manifest");
    EXPECT_EQ(verdict_on([](Manifest& manifest) { manifest.scripts[0].commands[0].segment_offset = 1U; }),
              "SCR-WEIGHTS scripts[0].commands[0].segment_offset");
    EXPECT_EQ(verdict_on([](Manifest& manifest) { manifest.traces[0].word_count += 1U; }),
              "TRC-SEGMENT traces[0].word_count");
}

TEST(PeerReports, ExecuTorchIndicesAndOffsetsThatLeadOutside) {
    // The manifest's first word leads to its root.
    EXPECT_EQ(verdict_on_bytes([](auto& file) { store32(file, segment_offset(file, 0U), 0xFFFF'FFFFU); }),
              "IMG-STRUCTURE manifest");
    EXPECT_EQ(verdict_on([](Manifest& manifest) { manifest.scripts[1].commands[1].object = 1U; }),
              "SCR-INDEX scripts[1].commands[1].trace");
    EXPECT_EQ(verdict_on([](Manifest& manifest) { manifest.buffers[1].region = 0xFFFF'FFFFU; }),
              "LAY-BUFFER buffers[1].region");
    EXPECT_EQ(verdict_on_command([](std::uint32_t /*base*/) {
                  return std::vector<std::uint32_t>{header_word(Opcode::kLaunch, 4U), 0x7FFF'FFFFU, 0U, 0U};
              }),
              "TRC-KERNEL traces[0].commands[0].kernel");
}

TEST(PeerReports, ExecuTorchListsLongerThanWhatHoldsThem) {
    EXPECT_EQ(verdict_on([](Manifest& manifest) { manifest.regions.resize(kMaxRegions + 1U, manifest.regions[0]); }),
              "IMG-COUNT regions");
    EXPECT_EQ(verdict_on([](Manifest& manifest) {
                  manifest.scripts[1].commands.resize(kMaxScriptCommands + 1U, manifest.scripts[1].commands[0]);
              }),
              "IMG-COUNT scripts[1].commands");
    EXPECT_EQ(verdict_on([](Manifest& manifest) {
                  manifest.inputs[0].shape.assign(kMaxRank + 1U, 1U);
                  manifest.inputs[0].shape[0] = kWorkloadBytes;
              }),
              "IMG-COUNT inputs[0].shape");
    // A command that says it is longer than its trace.
    EXPECT_EQ(verdict_on_command([](std::uint32_t /*base*/) {
                  return std::vector<std::uint32_t>{header_word(Opcode::kBarrier, 64U)};
              }),
              "TRC-COMMAND traces[0].commands[0].header");
}

// There are neither jumps nor loops, so that no instruction can be its own successor.
TEST(PeerReports, ExecuTorchInstructionsThatNeverEnd) {
    for (std::uint32_t opcode = 0U; opcode <= UINT8_MAX; ++opcode) {
        const auto known = static_cast<Opcode>(opcode);
        if ((known == Opcode::kBarrier) || (known == Opcode::kEnd)) {
            continue;
        }
        EXPECT_EQ(verdict_on_command(
                      [opcode](std::uint32_t /*base*/) { return std::vector<std::uint32_t>{opcode | (1U << 16U)}; }),
                  "TRC-COMMAND traces[0].commands[0].header")
            << opcode;
    }
}

// --- TensorFlow Lite Micro ---

TEST(PeerReports, TensorFlowLiteMicroDimensionsTogetherTooLong) {
    EXPECT_EQ(import_of([](ModelSpec& model) { model.tensors[1].shape = std::vector<std::int32_t>(8U, INT32_MAX); }),
              "operator 0 (QUANTIZE): 'middle': tensors above 67108864 bytes are not supported");
    EXPECT_EQ(import_of([](ModelSpec& model) { model.tensors[1].shape = std::vector<std::int32_t>(9U, 1); }),
              "operator 0 (QUANTIZE): 'middle': more than 8 dimensions are not supported");
}

TEST(PeerReports, TensorFlowLiteMicroADimensionLongerThanItsBuffer) {
    EXPECT_EQ(import_of([](ModelSpec& model) {
                  model.contents = {{1U, 2U, 3U, 4U}};
                  model.tensors[1].buffer = 1U;
                  model.tensors[1].shape = {1, 1'000'000};
              }),
              "operator 0 (QUANTIZE): 'middle': its buffer 1 holds 4 bytes where its shape needs 1000000");
    EXPECT_EQ(import_of([](ModelSpec& model) { model.tensors[0].shape = {1, -4}; }),
              "graph input 'x': dynamic dimensions are not supported");
    EXPECT_EQ(import_of([](ModelSpec& model) { model.tensors[0].shape = {1, 0}; }),
              "graph input 'x': empty tensors are not supported");
    EXPECT_EQ(verdict_on([](Manifest& manifest) { manifest.inputs[0].shape[1] += 1U; }),
              "LAY-TENSOR-SIZE inputs[0].shape");
}

TEST(PeerReports, TensorFlowLiteMicroOperandsThatDoNotExist) {
    EXPECT_EQ(import_of([](ModelSpec& model) { model.operators[1].outputs = {99}; }),
              "operator 1 (QUANTIZE): tensor 99 does not exist");
    EXPECT_EQ(import_of([](ModelSpec& model) { model.operators[1].inputs = {99}; }),
              "operator 1 (QUANTIZE): tensor 99 does not exist");
    EXPECT_EQ(import_of([](ModelSpec& model) { model.operators[0].inputs = {INT32_MIN}; }),
              "operator 0 (QUANTIZE): names tensor -2147483648");
}

TEST(PeerReports, TensorFlowLiteMicroBuffersThatDoNotExist) {
    EXPECT_EQ(import_of([](ModelSpec& model) { model.tensors[0].buffer = 9999U; }),
              "graph input 'x': its buffer 9999 does not exist");
    EXPECT_EQ(import_of([](ModelSpec& model) { model.tensors[1].buffer = 9999U; }),
              "operator 0 (QUANTIZE): 'middle': its buffer 9999 does not exist");
    EXPECT_EQ(import_of([](ModelSpec& model) { model.tensors[2].buffer = 0xFFFF'FFFFU; }),
              "operator 1 (QUANTIZE): 'y': its buffer 4294967295 does not exist");
    EXPECT_EQ(verdict_on([](Manifest& manifest) { manifest.inputs[0].buffer = 9999U; }), "SCR-INDEX inputs[0].buffer");
    EXPECT_EQ(verdict_on([](Manifest& manifest) { manifest.outputs[0].buffer = 9999U; }),
              "SCR-INDEX outputs[0].buffer");
}

TEST(PeerReports, TensorFlowLiteMicroAnAxisThatDoesNotExist) {
    const auto mean_over = [](std::uint8_t axis) {
        constexpr std::int32_t kMean = 40;
        ModelSpec model;
        model.tensors = {TensorSpec{"x", {1, 2, 2}}, TensorSpec{"axes", {1}, 1U, 2, {}, {}}, TensorSpec{"y", {1, 2}}};
        model.contents = {{axis, 0U, 0U, 0U}};
        model.operators = {{kMean, {0, 1}, {2}}};
        model.inputs = {0};
        model.outputs = {2};
        return import_of(model);
    };
    EXPECT_EQ(mean_over(1U), "imported");
    EXPECT_EQ(mean_over(6U), "operator 0 (MEAN): it names an axis that does not exist");
}

// --- IREE ---

TEST(PeerReports, IreeSumsThatWrapRoundInTheVerifier) {
    // Offset and size of the weights' segment: their sum is small, in 32 bits.
    const std::size_t weights = kSegmentTableOffset + kSegmentEntryBytes;
    EXPECT_EQ(verdict_on_bytes([weights](auto& file) { store32(file, weights + 8U, 0xFFFF'FFFFU); }),
              "ENV-SEGMENT-SIZE header.weights");
    EXPECT_EQ(verdict_on_bytes([weights](auto& file) { store32(file, weights + 8U, 0U - load32(file, weights + 4U)); }),
              "ENV-SEGMENT-SIZE header.weights");
    EXPECT_EQ(verdict_on_bytes([weights](auto& file) { store32(file, weights + 4U, 0xFFFF'FFC0U); }),
              "ENV-SEGMENT-LAYOUT header.weights");
    EXPECT_EQ(
        verdict_on([](Manifest& manifest) { manifest.scripts[0].commands[0].segment_offset = 0U - kWorkloadBytes; }),
        "SCR-WEIGHTS scripts[0].commands[0].segment_offset");
    EXPECT_EQ(verdict_on_command([](std::uint32_t /*base*/) {
                  return std::vector<std::uint32_t>{header_word(Opcode::kFill, refdev::kFillWords), 0xFFFF'FFFCU, 8U,
                                                    7U};
              }),
              "TRC-ARGUMENT traces[0].commands[0].size_bytes");
}

// An access that is longer than the check thought: extents are exact, so that the last byte decides.
TEST(PeerReports, IreeAccessesThatAreLongerThanTheirCheck) {
    const auto fill = [](std::uint32_t size_bytes) {
        return verdict_on(workload_edit([size_bytes](Workload& workload, DeviceDescription& /*device*/) {
            const capture::ManifestRegion& region = workload.manifest.regions[3];
            std::vector<std::uint32_t> words{header_word(Opcode::kFill, refdev::kFillWords),
                                             region.base + (region.size_bytes - 4U), size_bytes, 7U};
            const std::vector<std::uint32_t> old = words_of(workload.segments.traces);
            words.insert(words.end(), old.begin(), old.end());
            set_trace(workload, words);
        })());
    };
    EXPECT_EQ(fill(4U), "accepted");
    EXPECT_EQ(fill(5U), "TRC-BOUNDS traces[0].commands[0].destination");
    EXPECT_EQ(fill(8U), "TRC-BOUNDS traces[0].commands[0].destination");
}

// --- Light Metal ---

TEST(PeerReports, LightMetalATraceThatDoesNotFitItsRegion) {
    // The capture states the need, and a file that was captured for more is refused before a word is loaded.
    const Workload workload = make_small_workload(1U);
    const auto need = static_cast<std::uint32_t>(workload.segments.traces.size());
    EXPECT_EQ(verdict_on(workload_edit([need](Workload& changed, DeviceDescription& device) {
                  const std::uint32_t region_bytes = ((need - 1U) / 64U) * 64U;
                  device.trace_region_bytes = region_bytes;
                  changed.manifest.target.trace_region_bytes = region_bytes;
                  capture::ManifestRegion& region = changed.manifest.regions.back();
                  region.base += region.size_bytes - region_bytes;
                  region.size_bytes = region_bytes;
              })()),
              "TRC-REGION traces");
}

}  // namespace
}  // namespace pianola::test
