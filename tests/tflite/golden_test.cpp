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
#include "hal/kernels/kernel.h"
#include "tests/tflite/shared_models.h"

namespace pianola::tflite {
namespace {

// Every buffer at an address of its own, in one region.
class FlatDevice {
  public:
    explicit FlatDevice(const capture::Recorder& recorder) : recorder_{recorder} {
        for (const capture::Buffer& buffer : recorder.buffers()) {
            offsets_.push_back(storage_.size());
            storage_.insert(storage_.end(), buffer.contents.begin(), buffer.contents.end());
            storage_.resize((offsets_.back() + buffer.size_bytes + 63U) / 64U * 64U, 0xAAU);
        }
        const auto size_bytes = static_cast<std::uint32_t>(storage_.size());
        EXPECT_EQ(memory_.program(refdev::MemoryRegion{kBase, size_bytes, storage_.data(), true, true}), Status::kOk);
    }

    std::uint8_t* bytes(std::size_t buffer) { return storage_.data() + offsets_.at(buffer); }

    void run() {
        for (const capture::Launch& launch : recorder_.launches()) {
            if (launch.kind == CommandKind::kCopy) {
                const auto source = static_cast<std::size_t>(launch.operands.at(1U).buffer);
                const auto destination = static_cast<std::size_t>(launch.operands.at(0U).buffer);
                std::copy_n(bytes(source), launch.arguments.at(2U), bytes(destination));
                continue;
            }
            ASSERT_EQ(launch.kind, CommandKind::kLaunch) << launch.label;
            std::vector<std::uint32_t> words = launch.arguments;
            for (const capture::Operand& operand : launch.operands) {
                words.at(operand.word) =
                    kBase + static_cast<std::uint32_t>(offsets_.at(static_cast<std::size_t>(operand.buffer)));
            }
            const refdev::Kernel* const kernel = refdev::find_kernel(static_cast<std::uint32_t>(launch.kernel));
            ASSERT_NE(kernel, nullptr) << launch.label;
            expect_extents(*kernel, launch, words);
            ASSERT_EQ(kernel->run(WordSpan{words.data(), words.size()}, memory_), Status::kOk) << launch.label;
        }
    }

  private:
    static constexpr std::uint32_t kBase = 0x1000'0000U;

    // The kernel touches the operands that the importer named, all of each, in the same way.
    void expect_extents(const refdev::Kernel& kernel, const capture::Launch& launch,
                        const std::vector<std::uint32_t>& words) {
        refdev::Footprint footprint;
        refdev::ArgumentError error;
        ASSERT_EQ(kernel.describe(WordSpan{words.data(), words.size()}, footprint, error), Status::kOk)
            << launch.label << ": " << error.field;
        ASSERT_EQ(footprint.extents.view().size(), launch.operands.size()) << launch.label;
        for (const Extent& extent : footprint.extents.view()) {
            const auto matches = [&](const capture::Operand& operand) {
                return (words.at(operand.word) == extent.address) && (operand.access == extent.access) &&
                       (recorder_.buffer(operand.buffer).size_bytes == extent.size_bytes);
            };
            EXPECT_TRUE(std::any_of(launch.operands.begin(), launch.operands.end(), matches))
                << launch.label << ": " << extent.field;
        }
    }

    const capture::Recorder& recorder_;
    std::vector<std::uint8_t> storage_;
    std::vector<std::size_t> offsets_;
    refdev::DeviceMemory memory_;
};

// Runs record `record` of a model; false where there is none.
bool run_record(const std::filesystem::path& folder, const capture::Recorder& recorder, std::size_t record) {
    const auto file = [&](const char* kind, std::size_t index) {
        return folder / (std::string{kind} + "_" + std::to_string(record) + "_" + std::to_string(index) + ".bin");
    };
    if (!std::filesystem::exists(file("input", 0U))) {
        return false;
    }
    FlatDevice device{recorder};
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
            EXPECT_EQ(output, read_bytes(file("golden", outputs))) << folder.filename() << " record " << record;
            outputs += 1U;
        }
    }
    return true;
}

TEST(ImporterGolden, EveryModelThatImportsIsExact) {
    if (models_dir().empty()) {
        GTEST_SKIP() << "no models: set PIANOLA_SHARED";
    }
    std::size_t models = 0U;
    std::size_t records = 0U;
    std::size_t fewest = 0U;
    for (const std::filesystem::path& folder : model_folders()) {
        const std::vector<std::uint8_t> file = read_bytes(folder / "model.tflite");
        capture::Recorder recorder;
        try {
            import_model(Span<const std::uint8_t>{file.data(), file.size()}, "model", {}, recorder);
        } catch (const ImportError&) {
            continue;
        }
        models += 1U;
        fewest += (folder.parent_path().filename() == "seanet16x8") ? 1U : 8U;  // one record each
        for (std::size_t record = 0U; run_record(folder, recorder, record); ++record) {
            records += 1U;
            ASSERT_FALSE(HasFatalFailure());
        }
    }
    EXPECT_GE(models, 82U);
    EXPECT_GE(records, fewest);
}

}  // namespace
}  // namespace pianola::tflite
