// Whole models through the importer and the kernels alone, byte for byte against golden outputs of another
// implementation. What the linker, the format and the runtime add is not in the way, so a difference here is one of
// numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "capture_host/tflite/import.h"
#include "tests/tflite/flat_device.h"
#include "tests/tflite/shared_models.h"

namespace pianola::tflite {
namespace {

// Runs record `record` of a model, whose outputs are to be those of `golden`; false where there is none.
bool run_record(const std::filesystem::path& folder, const capture::Recorder& recorder, const char* golden,
                std::size_t record, FlatDevice& device) {
    const auto file = [&](const char* kind, std::size_t index) {
        return folder / (std::string{kind} + "_" + std::to_string(record) + "_" + std::to_string(index) + ".bin");
    };
    if (!std::filesystem::exists(file("input", 0U)) || !std::filesystem::exists(file(golden, 0U))) {
        return false;
    }
    std::size_t inputs = 0U;
    for (std::size_t i = 0U; i < recorder.buffers().size(); ++i) {
        if (recorder.buffers()[i].role == capture::BufferRole::kInput) {
            const std::vector<std::uint8_t> input = read_bytes(file("input", inputs));
            EXPECT_EQ(input.size(), recorder.buffers()[i].size_bytes);
            std::copy_n(input.begin(), std::min<std::size_t>(input.size(), recorder.buffers()[i].size_bytes),
                        device.bytes(i));
            inputs += 1U;
        }
    }
    device.run();
    std::size_t outputs = 0U;
    for (std::size_t i = 0U; i < recorder.buffers().size(); ++i) {
        if (recorder.buffers()[i].role == capture::BufferRole::kOutput) {
            const std::vector<std::uint8_t> output(device.bytes(i), device.bytes(i) + recorder.buffers()[i].size_bytes);
            EXPECT_EQ(output, read_bytes(file(golden, outputs))) << folder.filename() << " record " << record;
            outputs += 1U;
        }
    }
    return true;
}

// Records one after the other, with the state that each leaves to the next. How many there were.
std::size_t run_sequence(const std::filesystem::path& folder, const capture::Recorder& recorder) {
    FlatDevice device{recorder};
    device.reset();
    std::size_t records = 0U;
    while (run_record(folder, recorder, "seqgolden", records, device)) {
        records += 1U;
    }
    return records;
}

TEST(ImporterGolden, EveryModelThatImportsIsExact) {
    if (models_dir().empty()) {
        GTEST_SKIP() << "no models: set PIANOLA_SHARED";
    }
    std::size_t models = 0U;
    std::size_t steps = 0U;
    for (const std::filesystem::path& folder : model_folders()) {
        const std::vector<std::uint8_t> file = read_bytes(folder / "model.tflite");
        capture::Recorder recorder;
        try {
            import_model(Span<const std::uint8_t>{file.data(), file.size()}, "model", {}, recorder);
        } catch (const ImportError&) {
            continue;
        }
        models += 1U;
        std::size_t records = 0U;
        bool is_there = true;
        while (is_there) {
            FlatDevice device{recorder};
            device.reset();
            is_there = run_record(folder, recorder, "golden", records, device);
            records += is_there ? 1U : 0U;
            ASSERT_FALSE(HasFatalFailure());
        }
        steps += run_sequence(folder, recorder);
        const bool is_single_layer = folder.parent_path().filename() == "seanet16x8";
        EXPECT_GE(records, is_single_layer ? 1U : 8U) << folder;
    }
    EXPECT_GE(models, 139U);
    EXPECT_GE(steps, 42U) << "of models with state";
}

}  // namespace
}  // namespace pianola::tflite
