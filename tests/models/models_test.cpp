// Real models from end to end: import, capture, a file on disk, verify, load, replay; every byte as in the goldens, or
// a refusal that says why.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <random>
#include <string>
#include <tuple>

#include "capture_host/binary/verify.h"
#include "pianola/development_config.h"
#include "tests/models/replay.h"
#include "tests/support/verifies.h"
#include "tests/tflite/shared_models.h"

namespace pianola {
namespace {

using replay::Bytes;
using replay::Player;
using replay::Tensors;

constexpr std::array<const char*, 7> kMustHave{"ad01_int8",       "kws_ref_model",    "pretrainedResnet_quant",
                                               "vww_96_int8",     "hello_world_int8", "person_detect",
                                               "str_ww_ref_model"};
constexpr std::size_t kFewestSupported = 139U;  // of all models; a lower number means that something was lost
constexpr std::size_t kFewestRecords = 8U;      // of each model, single layers of 16 x 8 bits excepted
constexpr const char* kSingleLayers = "seanet16x8";
constexpr std::uintmax_t kSmallModelBytes = 65536U;

struct Outcome {
    std::size_t records{0U};
    std::size_t identical{0U};
    std::size_t goldens{0U};  // golden files that were compared
    std::string unsupported;  // empty where the model was captured
};

std::size_t count_goldens(const std::filesystem::path& folder) {
    const auto files = std::filesystem::directory_iterator{folder};
    return static_cast<std::size_t>(std::count_if(begin(files), end(files), [](const auto& entry) {
        return entry.path().filename().string().rfind("golden_", 0U) == 0U;
    }));
}

// Through the file system, as users do.
Bytes through_disk(const Bytes& bytes) {
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("pianola-models-" + std::to_string(std::random_device{}()) + ".ptb");
    files::store_file(file, bytes);
    const Bytes read = files::load_file(file, kMaxFileBytes);
    std::filesystem::remove(file);
    return read;
}

void expect_verified(const Bytes& bytes, const refdev::DeviceSpec& spec, const std::string& name) {
    const files::AlignedBytes file{bytes};
    DeviceDescription device;
    refdev::describe(spec, device);
    capture::Verification proofs;
    ASSERT_EQ(proofs.verify(file.view(), device, refdev::RefdevCommandSet{}, kDevelopmentTrust), Status::kOk)
        << name << ": " << rule_id(proofs.verdict.rule);
}

Outcome compare_records(const std::filesystem::path& folder, Player& player, std::size_t most_records = SIZE_MAX) {
    Outcome outcome;
    for (; outcome.records < most_records; outcome.records += 1U) {
        const Tensors inputs = replay::load_record(folder, "input", outcome.records);
        if (inputs.empty()) {
            break;
        }
        const Tensors goldens = replay::load_record(folder, "golden", outcome.records);
        EXPECT_FALSE(goldens.empty()) << folder << " record " << outcome.records;
        outcome.goldens += goldens.size();
        EXPECT_EQ(player.session().reset_state(), Status::kOk);
        outcome.identical += (player.run(inputs) == goldens) ? 1U : 0U;
    }
    return outcome;
}

Outcome replay_model(const std::filesystem::path& folder, std::uint32_t queues, const sim::SimOptions& options) {
    const std::string name = folder.filename().string();
    try {
        const Bytes captured = replay::capture_model(folder / "model.tflite", replay::with_queues(queues));
        const Bytes file = through_disk(captured);
        EXPECT_EQ(file, captured) << name;
        expect_verified(file, options.spec, name);
        Player player{file, options};
        return compare_records(folder, player);
    } catch (const tflite::ImportError& error) {
        // A model with an operator that is not supported: the message must let somebody act.
        EXPECT_TRUE(error.operator_index().has_value()) << name << ": " << error.what();
        EXPECT_FALSE(error.operator_name().empty()) << name << ": " << error.what();
        EXPECT_NE(std::string{error.what()}.find(error.operator_name()), std::string::npos) << name;
        EXPECT_FALSE(error.missing().empty()) << name;
        return {0U, 0U, 0U, error.what()};
    } catch (const capture::LinkError& error) {
        EXPECT_NE(std::string{error.what()}.find_first_of("0123456789"), std::string::npos)
            << name << ": " << error.what();
        return {0U, 0U, 0U, error.what()};
    }
}

class Models : public testing::Test {
  protected:
    void SetUp() override {
        if (tflite::models_dir().empty()) {
            GTEST_SKIP() << "no models: set PIANOLA_SHARED";
        }
    }
};

TEST_F(Models, EveryRecordIsIdenticalOrTheModelIsRefused) {
    test::verifies({"swr~golden-outputs~1"});
    std::size_t supported = 0U;
    std::size_t must_have = 0U;
    std::cout << "| model | records | identical | unsupported because |\n|---|---:|---:|---|\n";
    for (const std::filesystem::path& folder : tflite::model_folders()) {
        const std::string name = folder.lexically_relative(tflite::models_dir()).string();
        const Outcome outcome = replay_model(folder, 1U, {});
        std::cout << "| " << name << " | " << outcome.records << " | " << outcome.identical << " | "
                  << outcome.unsupported << " |\n";
        EXPECT_EQ(outcome.identical, outcome.records) << name;
        if (outcome.unsupported.empty()) {
            supported += 1U;
            EXPECT_GE(outcome.records, (name.rfind(kSingleLayers, 0U) == 0U) ? 1U : kFewestRecords) << name;
            EXPECT_EQ(outcome.goldens, count_goldens(folder)) << name << ": goldens were left out";
        }
        if (std::find(kMustHave.begin(), kMustHave.end(), name) != kMustHave.end()) {
            must_have += 1U;
            EXPECT_EQ(outcome.unsupported, "") << name;
        }
    }
    std::cout << supported << " models supported\n";
    EXPECT_EQ(must_have, kMustHave.size());
    EXPECT_GE(supported, kFewestSupported);
}

// Reads and writes outside the published extents; sanitizer builds see reads as well. And the same bytes in threads.
TEST_F(Models, SmallModelsTouchOnlyTheirPublishedExtents) {
    test::verifies({"swr~published-extents~1"});
    std::size_t checked = 0U;
    for (const std::filesystem::path& folder : tflite::model_folders()) {
        if (std::filesystem::file_size(folder / "model.tflite") > kSmallModelBytes) {
            continue;
        }
        Bytes file;
        try {
            file = replay::capture_model(folder / "model.tflite", {});
        } catch (const tflite::ImportError&) {
            continue;
        } catch (const capture::LinkError&) {
            continue;
        }
        sim::SimOptions options;
        options.check_accesses = true;
        Player player{file, options};
        EXPECT_EQ(compare_records(folder, player, 1U).identical, 1U) << folder;
        EXPECT_EQ(player.device().access_violations(), 0U) << folder;
        sim::SimOptions in_threads;
        in_threads.threading = sim::Threading::kThreaded;
        Player threaded{file, in_threads};
        EXPECT_EQ(compare_records(folder, threaded, 1U).identical, 1U) << folder << ", a thread for each core";
        checked += 1U;
    }
    std::cout << checked << " models checked\n";
    EXPECT_GE(checked, kFewestSupported - kMustHave.size());
}

using Mode = std::tuple<const char*, std::uint32_t, sim::Threading>;

class MustHaveModels : public Models, public testing::WithParamInterface<Mode> {};

TEST_P(MustHaveModels, AreIdenticalInEveryMode) {
    const auto [name, queues, threading] = GetParam();
    sim::SimOptions options;
    options.threading = threading;
    const std::filesystem::path folder = tflite::models_dir() / name;
    const Outcome outcome = replay_model(folder, queues, options);
    EXPECT_EQ(outcome.unsupported, "");
    EXPECT_GE(outcome.records, kFewestRecords);
    EXPECT_EQ(outcome.identical, outcome.records);
    EXPECT_EQ(outcome.goldens, count_goldens(folder));
}

std::string mode_name(const testing::TestParamInfo<Mode>& info) {
    const auto [name, queues, threading] = info.param;
    return std::string{name} + "_" + std::to_string(queues) + "_queues" +
           ((threading == sim::Threading::kThreaded) ? "_threaded" : "");
}

INSTANTIATE_TEST_SUITE_P(Modes, MustHaveModels,
                         testing::Combine(testing::ValuesIn(kMustHave), testing::Values(1U, 2U),
                                          testing::Values(sim::Threading::kInProcess, sim::Threading::kThreaded)),
                         mode_name);

}  // namespace
}  // namespace pianola
