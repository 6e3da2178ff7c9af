// Real models: which import, what they record, and how the others are refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "capture_host/tflite/import.h"
#include "tests/tflite/shared_models.h"

namespace pianola::tflite {
namespace {

constexpr std::array<const char*, 13> kModels{"ad01_int8",
                                              "kws_ref_model",
                                              "pretrainedResnet_quant",
                                              "vww_96_int8",
                                              "hello_world_int8",
                                              "person_detect",
                                              "str_ww_ref_model",
                                              "micro_speech_quantized",
                                              "simple_add_model",
                                              "litert_single_add_a8w8",
                                              "fingerprint_signature_generator",
                                              "mww_okay_nabu_v2",
                                              "trained_lstm_int8"};
constexpr std::array<const char*, 7> kOperatorPrefixes{"conv_",   "dwconv_", "fc_",  "avgpool",
                                                       "maxpool", "add_",    "mean_"};
constexpr std::array<const char*, 6> kOperators{"softmax_rows", "requant_i8_i8", "reshape_minus1",
                                                "pad_hw",       "padv2",         "expand_dims"};

bool must_import(const std::filesystem::path& folder) {
    const std::string name = folder.filename().string();
    if (folder.parent_path().filename() != "ops") {
        return std::find(kModels.begin(), kModels.end(), name) != kModels.end();
    }
    const auto is_prefix = [&name](const std::string& prefix) { return name.rfind(prefix, 0U) == 0U; };
    return std::any_of(kOperatorPrefixes.begin(), kOperatorPrefixes.end(), is_prefix) ||
           (std::find(kOperators.begin(), kOperators.end(), name) != kOperators.end());
}

capture::Recorder import(const std::filesystem::path& folder) {
    const std::vector<std::uint8_t> file = read_bytes(folder / "model.tflite");
    capture::Recorder recorder;
    import_model(Span<const std::uint8_t>{file.data(), file.size()}, "model.tflite", {}, recorder);
    return recorder;
}

// Whether a launch also reads what it writes: it adds to it.
bool adds(const capture::Launch& launch, const capture::Operand& written) {
    return std::any_of(launch.operands.begin(), launch.operands.end(), [&written](const capture::Operand& operand) {
        return (operand.word == written.word) && (operand.access == Access::kRead);
    });
}

// Every buffer is written before it is read, each part of it once but where a launch adds to it, and outputs are never
// read. State is written before the first step, and again in steps.
void expect_sound(const capture::Recorder& recorder) {
    std::set<capture::BufferId> written;
    std::set<std::pair<capture::BufferId, std::uint32_t>> parts;
    for (std::size_t i = 0U; i < recorder.buffers().size(); ++i) {
        const capture::Buffer& buffer = recorder.buffers()[i];
        if ((buffer.role == capture::BufferRole::kConstant) || (buffer.role == capture::BufferRole::kInput)) {
            const capture::BufferId id{static_cast<std::uint32_t>(i)};
            written.insert(id);
            parts.insert({id, 0U});
        }
    }
    for (const capture::Launch& reset : recorder.resets()) {
        EXPECT_EQ(recorder.buffer(reset.operands.front().buffer).role, capture::BufferRole::kState) << reset.label;
        EXPECT_TRUE(written.insert(reset.operands.front().buffer).second) << reset.label;
    }
    for (const capture::Launch& launch : recorder.launches()) {
        for (const capture::Operand& operand : launch.operands) {
            const capture::BufferRole role = recorder.buffer(operand.buffer).role;
            if (operand.access == Access::kRead) {
                EXPECT_EQ(written.count(operand.buffer), 1U) << launch.label;
                EXPECT_NE(role, capture::BufferRole::kOutput) << launch.label;
            }
        }
        for (const capture::Operand& operand : launch.operands) {
            if (operand.access == Access::kWrite) {
                const bool is_state = recorder.buffer(operand.buffer).role == capture::BufferRole::kState;
                const auto part = std::make_pair(operand.buffer, operand.offset_bytes);
                EXPECT_TRUE(parts.insert(part).second || adds(launch, operand) || is_state) << launch.label;
                written.insert(operand.buffer);
            }
        }
    }
    EXPECT_EQ(written.size(), recorder.buffers().size());
}

TEST(ImportModels, EveryModelImportsOrNamesAnOperator) {
    if (models_dir().empty()) {
        GTEST_SKIP() << "no models: set PIANOLA_SHARED";
    }
    std::size_t imported = 0U;
    std::size_t refused = 0U;
    for (const std::filesystem::path& folder : model_folders()) {
        try {
            expect_sound(import(folder));
            imported += 1U;
        } catch (const ImportError& error) {
            EXPECT_FALSE(must_import(folder)) << folder.filename() << ": " << error.what();
            EXPECT_TRUE(error.operator_index().has_value()) << folder.filename() << ": " << error.what();
            EXPECT_FALSE(error.operator_name().empty());
            EXPECT_FALSE(error.missing().empty());
            std::cout << folder.filename().string() << ": " << error.what() << '\n';
            refused += 1U;
        }
    }
    std::cout << imported << " imported, " << refused << " refused\n";
    EXPECT_GE(imported, 139U);
}

// Files whose sizes the golden files know: input k is as long as input_0_k.bin.
TEST(ImportModels, InputsAndOutputsHaveTheSizesOfTheGoldens) {
    if (models_dir().empty()) {
        GTEST_SKIP() << "no models: set PIANOLA_SHARED";
    }
    for (const std::filesystem::path& folder : model_folders()) {
        if (!must_import(folder)) {
            continue;
        }
        const capture::Recorder recorder = import(folder);
        std::size_t inputs = 0U;
        std::size_t outputs = 0U;
        for (const capture::Buffer& buffer : recorder.buffers()) {
            const bool is_input = buffer.role == capture::BufferRole::kInput;
            if (!is_input && (buffer.role != capture::BufferRole::kOutput)) {
                continue;
            }
            std::size_t& count = is_input ? inputs : outputs;
            const std::string stem = is_input ? "input_0_" : "golden_0_";
            EXPECT_EQ(std::filesystem::file_size(folder / (stem + std::to_string(count) + ".bin")), buffer.size_bytes)
                << folder.filename();
            count += 1U;
        }
        EXPECT_GE(inputs, 1U) << folder.filename();
        EXPECT_GE(outputs, 1U) << folder.filename();
    }
}

TEST(ImportModels, ResnetHasItsShapesScalesAndLaunches) {
    if (models_dir().empty()) {
        GTEST_SKIP() << "no models: set PIANOLA_SHARED";
    }
    const capture::Recorder recorder = import(models_dir() / "pretrainedResnet_quant");
    EXPECT_EQ(recorder.launches().size(), 15U);  // 16 operators, of which RESHAPE needs no command
    const capture::Buffer& input = recorder.buffers().front();
    ASSERT_EQ(input.role, capture::BufferRole::kInput);
    EXPECT_EQ(input.tensor.shape, (std::vector<std::uint32_t>{1U, 32U, 32U, 3U}));
    EXPECT_EQ(input.tensor.scale, 1.0F);
    EXPECT_EQ(input.tensor.zero_point, -128);
    const capture::Buffer& output = recorder.buffers()[1];
    ASSERT_EQ(output.role, capture::BufferRole::kOutput);
    EXPECT_EQ(output.tensor.shape, (std::vector<std::uint32_t>{1U, 10U}));
    EXPECT_EQ(output.tensor.scale, 0.00390625F);
}

TEST(ImportModels, ImportingTwiceGivesTheSameRecording) {
    if (models_dir().empty()) {
        GTEST_SKIP() << "no models: set PIANOLA_SHARED";
    }
    const capture::Recorder first = import(models_dir() / "kws_ref_model");
    const capture::Recorder second = import(models_dir() / "kws_ref_model");
    ASSERT_EQ(first.launches().size(), second.launches().size());
    for (std::size_t i = 0U; i < first.launches().size(); ++i) {
        EXPECT_EQ(first.launches()[i].arguments, second.launches()[i].arguments);
    }
    ASSERT_EQ(first.buffers().size(), second.buffers().size());
    for (std::size_t i = 0U; i < first.buffers().size(); ++i) {
        EXPECT_EQ(first.buffers()[i].contents, second.buffers()[i].contents);
    }
}

}  // namespace
}  // namespace pianola::tflite
