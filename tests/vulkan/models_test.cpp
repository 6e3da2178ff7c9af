// Every model, replayed on the Vulkan device, byte for byte as in its goldens.
//
// One record of each model, and all of those named in kWhole; with PIANOLA_VULKAN_RECORDS=N, N of each.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "capture_host/capture/capture.h"
#include "capture_host/tflite/import.h"
#include "tests/models/replay.h"
#include "tests/tflite/shared_models.h"
#include "tests/vulkan/player.h"

namespace pianola::vulkan {
namespace {

constexpr std::size_t kFewestSupported = 139U;  // of all models; a lower number means that something was lost
constexpr std::array<const char*, 2> kWhole{"kws_ref_model", "trained_lstm_int8"};

std::size_t records_of(const std::filesystem::path& folder) {
    const char* const wanted = std::getenv("PIANOLA_VULKAN_RECORDS");
    const bool is_whole = std::find(kWhole.begin(), kWhole.end(), folder.filename()) != kWhole.end();
    return (wanted != nullptr) ? std::strtoul(wanted, nullptr, 10) : (is_whole ? SIZE_MAX : 1U);
}

class VulkanModels : public testing::Test {
  protected:
    void SetUp() override {
        if (tflite::models_dir().empty()) {
            GTEST_SKIP() << "no models: set PIANOLA_SHARED";
        }
    }

    // Records that were compared; nothing where the model is not captured.
    static std::size_t compare(Opened& opened, const std::filesystem::path& folder, std::uint32_t queues) {
        const Bytes file =
            pianola::replay::capture_model(folder / "model.tflite", pianola::replay::with_queues(queues));
        Player player{opened, file};
        std::size_t record = 0U;
        for (; record < records_of(folder); ++record) {
            const Tensors inputs = pianola::replay::load_record(folder, "input", record);
            if (inputs.empty()) {
                break;
            }
            EXPECT_EQ(player.session().reset_state(), Status::kOk);
            EXPECT_EQ(player.run(inputs), pianola::replay::load_record(folder, "golden", record))
                << folder << " record " << record;
        }
        EXPECT_GE(record, 1U) << folder;
        return record;
    }
};

TEST_F(VulkanModels, EveryRecordIsIdentical) {
    Opened opened{{}};
    std::size_t supported = 0U;
    std::size_t refused = 0U;  // which, and how, is the importer's test
    std::size_t records = 0U;
    for (const std::filesystem::path& folder : tflite::model_folders()) {
        try {
            records += compare(opened, folder, 1U);
            supported += 1U;
        } catch (const tflite::ImportError&) {
            refused += 1U;
        } catch (const capture::LinkError&) {
            refused += 1U;
        }
    }
    std::cout << supported << " models, " << records << " records identical; " << refused << " refused\n";
    EXPECT_GE(supported, kFewestSupported);
}

// With PIANOLA_VULKAN_REPLAYS=N so many; 10,000 are some minutes on a CPU.
TEST_F(VulkanModels, ManyReplaysAreIdentical) {
    const char* const wanted = std::getenv("PIANOLA_VULKAN_REPLAYS");
    const std::uint64_t replays = (wanted == nullptr) ? 300U : std::strtoul(wanted, nullptr, 10);
    Opened opened{{}};
    const std::filesystem::path folder = tflite::models_dir() / "kws_ref_model";
    Player player{opened, pianola::replay::capture_model(folder / "model.tflite", {})};
    const Tensors inputs = pianola::replay::load_record(folder, "input", 0U);
    const Tensors golden = pianola::replay::load_record(folder, "golden", 0U);
    const std::uint64_t objects = opened.device.machine().trace_objects();
    for (std::uint64_t i = 0U; i < replays; ++i) {
        ASSERT_EQ(player.run(inputs), golden) << "replay " << i;
    }
    EXPECT_EQ(opened.device.machine().trace_objects(), objects) << "objects were made after load";
    std::cout << replays << " replays identical\n";
}

TEST_F(VulkanModels, TwoQueuesGiveTheSame) {
    Opened opened{{}};
    for (const char* const name : kWhole) {
        EXPECT_GE(compare(opened, tflite::models_dir() / name, 2U), 1U);
    }
}

}  // namespace
}  // namespace pianola::vulkan
