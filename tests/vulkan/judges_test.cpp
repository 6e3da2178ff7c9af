// Khronos' validation layer as a judge: of what is recorded of real models, and of traces that lack an order.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "tests/tflite/shared_models.h"
#include "tests/vulkan/agreement.h"
#include "tests/vulkan/player.h"

namespace pianola::vulkan {
namespace {

constexpr std::size_t kFewestSupported = 139U;

bool has_layer() {
    return layer_is_there();
}

// Every model once, on a device that is watched.
void expect_silence(Judge judge) {
    if (!has_layer()) {
        GTEST_SKIP() << "the layer VK_LAYER_KHRONOS_validation is not installed";
    }
    if (tflite::models_dir().empty()) {
        GTEST_SKIP() << "no models: set PIANOLA_SHARED";
    }
    Watched watched{judge};
    std::size_t models = 0U;
    for (const std::filesystem::path& folder : tflite::model_folders()) {
        try {
            Player player{watched.opened(), pianola::replay::capture_model(folder / "model.tflite", {})};
            EXPECT_EQ(player.run(pianola::replay::load_record(folder, "input", 0U)),
                      pianola::replay::load_record(folder, "golden", 0U))
                << folder;
            models += 1U;
        } catch (const tflite::ImportError&) {
            continue;
        } catch (const capture::LinkError&) {
            continue;
        }
        ASSERT_TRUE(watched.messages().empty()) << folder << ": " << watched.messages().front();
    }
    EXPECT_GE(models, kFewestSupported);
}

TEST(VulkanJudges, SynchronizationValidationHasNothingToSayOfAnyModel) {
    expect_silence(Judge::kSynchronization);
}

TEST(VulkanJudges, GpuAssistedValidationHasNothingToSayOfAnyModel) {
    expect_silence(Judge::kAccess);
}

TEST(VulkanJudges, ValidatorExplorerAndKhronosAgree) {
    if (!has_layer()) {
        GTEST_SKIP() << "the layer VK_LAYER_KHRONOS_validation is not installed";
    }
    const Agreement agreement = compare_judges();
    EXPECT_EQ(agreement.disagreements, std::vector<std::string>{});
    // A judge that always says the same would agree with nobody.
    EXPECT_GE(agreement.right_traces, 100U);
    EXPECT_GE(agreement.mutants.at("a barrier").racy, 50U);
    EXPECT_GE(agreement.mutants.at("an implied order").racy, 50U);
    // The page has these very numbers.
    const std::ifstream file{std::string{PIANOLA_SOURCE_DIR} + "/docs/evidence/vulkan.md"};
    std::stringstream page;
    page << file.rdbuf();
    EXPECT_NE(page.str().find(agreement.table()), std::string::npos) << "docs/evidence/vulkan.md should have\n"
                                                                     << agreement.table();
}

// What `pianola size` prints is what load makes, and a replay makes nothing.
TEST(VulkanObjects, AreCountedBeforehand) {
    Watched watched{Judge::kNone};
    const SmallTraces traces;
    test::Random random{3U};
    for (int i = 0; i < 5; ++i) {
        const std::vector<std::uint32_t> words = traces.words(ordered_pieces(random));
        const Machine& machine = watched.opened().device.machine();
        const std::uint64_t before = machine.trace_objects();
        ASSERT_TRUE(watched.replay(words));
        EXPECT_EQ(machine.trace_objects() - before,
                  count_objects(refdev::kVirtualCosts, {words.data(), words.size()}, machine.options().spec.queue_count)
                      .all());
    }
}

// The words of a command are changed behind its descriptors' back, as damage could: the copy is longer by one byte.
TEST(VulkanJudges, GpuAssistedValidationSeesWordsThatReachBeyondTheirOperand) {
    if (!has_layer()) {
        GTEST_SKIP() << "the layer VK_LAYER_KHRONOS_validation is not installed";
    }
    Watched watched{Judge::kAccess};
    const SmallTraces traces;
    constexpr std::uint32_t kSizeWord = 3U;  // of the COPY that comes first
    std::vector<std::uint32_t> words = traces.words({});
    EXPECT_TRUE(watched.replay(words));
    EXPECT_TRUE(watched.messages().empty());
    EXPECT_TRUE(watched.replay(words, std::make_pair(kSizeWord, words.at(kSizeWord) + 1U)));
    ASSERT_FALSE(watched.messages().empty());
    EXPECT_NE(watched.messages().front().find("VUID-vkCmdDispatch-None-02706"), std::string::npos)
        << watched.messages().front();
}

}  // namespace
}  // namespace pianola::vulkan
