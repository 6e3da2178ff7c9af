#include "docs/examples/road_signs/command_line.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "docs/examples/road_signs/evaluate.h"
#include "docs/examples/road_signs/scene.h"
#include "docs/examples/road_signs/signs.h"
#include "pianola_host/files.h"

namespace pianola::sample {
namespace {

namespace fs = std::filesystem;

int run_with(const std::vector<std::string>& arguments) {
    std::vector<const char*> argv{"pianola-sample"};
    for (const std::string& argument : arguments) {
        argv.push_back(argument.c_str());
    }
    return run_command_line(static_cast<int>(argv.size()), argv.data());
}

class Tool : public ::testing::Test {
  protected:
    void SetUp() override {
        // CTest runs each case in a process of its own, several at a time.
        const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
        dir_ = fs::path{::testing::TempDir()} / (std::string("pianola_sample_") + info->name());
        fs::remove_all(dir_);
        fs::create_directories(dir_);
    }
    void TearDown() override { fs::remove_all(dir_); }

    [[nodiscard]] std::string path(const char* name) const { return (dir_ / name).string(); }

    fs::path dir_;
};

TEST_F(Tool, UsageErrorsAreTwo) {
    EXPECT_EQ(run_with({}), kUsage);
    EXPECT_EQ(run_with({"--no-such-option"}), kUsage);
    EXPECT_EQ(run_with({"--out", path("x"), "--steps", "0"}), kUsage);
    EXPECT_EQ(run_with({"evaluate", "--dir", "x"}), kUsage);
    EXPECT_EQ(run_with({"--help"}), kDone);
}

TEST_F(Tool, WritesEveryFileAndNoPartialOne) {
    ASSERT_EQ(run_with({"--out", path("made/deeper"), "--steps", "2"}), kDone);
    const fs::path made = dir_ / "made" / "deeper";
    EXPECT_EQ(fs::file_size(made / "test_images.bin"), 256U * kImageBytes);
    EXPECT_EQ(fs::file_size(made / "test_labels.bin"), 256U);
    EXPECT_EQ(parse_class_names(files::load_file(made / "labels.txt")).size(), kClassCount);
    EXPECT_EQ(fs::file_size(made / "sign_7.bin"), kImageBytes);
    EXPECT_TRUE(fs::exists(made / "sign_7.ppm"));
    EXPECT_TRUE(fs::exists(made / "road_signs.tflite"));
    std::size_t count = 0U;
    for (const auto& entry : fs::directory_iterator{made}) {
        EXPECT_NE(entry.path().extension(), ".partial");
        ++count;
    }
    EXPECT_EQ(count, 4U + 16U);
}

TEST_F(Tool, DrawsASheetWithoutTraining) {
    ASSERT_EQ(run_with({"--sheet", path("sheet.ppm")}), kDone);
    EXPECT_EQ(files::load_file(path("sheet.ppm")).at(1U), '6');
}

TEST_F(Tool, FileTroubleIsSixAndLeavesNothing) {
    files::store_file(dir_ / "file", std::string_view{"x"});
    EXPECT_EQ(run_with({"--sheet", path("file/sheet.ppm")}), kFileTrouble);
    EXPECT_EQ(run_with({"--sheet", path("missing/sheet.ppm")}), kFileTrouble);
    EXPECT_EQ(run_with({"evaluate", "--dir", path("missing"), "--outputs", path("file")}), kFileTrouble);
    EXPECT_EQ(files::load_file(dir_ / "file"), std::vector<std::uint8_t>{'x'});
    // A directory stands where the file should go: the rename fails, and the partial file goes away.
    fs::create_directories(dir_ / "taken" / "inside");
    EXPECT_THROW(files::store_file(dir_ / "taken", std::string_view{"y"}), files::FileError);
    EXPECT_FALSE(fs::exists(dir_ / "taken.partial"));
}

TEST_F(Tool, EvaluateJudgesByTheRequiredAccuracy) {
    files::store_file(dir_ / "labels.txt", std::string_view{"a\nb\n"});
    files::store_file(dir_ / "test_labels.bin", std::vector<std::uint8_t>{0U, 1U, 1U, 0U});
    // 0x80 is -128 and 0x7F is 127: said a, b, a, and a because the first of equals wins.
    const std::vector<std::uint8_t> outputs{0x7FU, 0x80U, 0x80U, 0x7FU, 0x00U, 0xFFU, 0x05U, 0x05U};
    files::store_file(dir_ / "outputs.bin", outputs);
    const std::vector<std::string> base{"evaluate", "--dir", dir_.string(), "--outputs", path("outputs.bin")};
    const auto with = [&](const std::vector<std::string>& more) {
        std::vector<std::string> all = base;
        all.insert(all.end(), more.begin(), more.end());
        return run_with(all);
    };
    EXPECT_EQ(with({}), kDone);
    EXPECT_EQ(with({"--require", "75"}), kDone);
    EXPECT_EQ(with({"--require", "75.1"}), kBelowRequired);
    EXPECT_EQ(with({"--require", "101"}), kUsage);
    EXPECT_EQ(with({"--json"}), kDone);

    const Evaluation evaluation = evaluate({"a", "b"}, {0U, 1U, 1U, 0U}, outputs);
    const std::vector<std::vector<std::size_t>> confusion{{2U, 0U}, {1U, 1U}};
    EXPECT_EQ(evaluation.confusion, confusion);
    EXPECT_NE(to_table(evaluation).find("3 of 4 right: 75.0 %"), std::string::npos);
    EXPECT_NE(to_json(evaluation).find("\"accuracy_percent\": 75.0"), std::string::npos);

    files::store_file(dir_ / "outputs.bin", std::vector<std::uint8_t>(7U, 0U));
    EXPECT_EQ(with({}), kFileTrouble);
}

TEST(Evaluate, RefusesWhatDoesNotFit) {
    EXPECT_THROW((void)evaluate({}, {0U}, {0U}), std::invalid_argument);
    EXPECT_THROW((void)evaluate({"a"}, {}, {}), std::invalid_argument);
    EXPECT_THROW((void)evaluate({"a", "b"}, {0U}, {0U, 0U, 0U}), std::invalid_argument);
    EXPECT_THROW((void)evaluate({"a", "b"}, {2U}, {0U, 0U}), std::invalid_argument);
}

TEST(Evaluate, ReadsNamesWithAndWithoutAFinalNewline) {
    const std::vector<std::string> names{"a", "bc"};
    EXPECT_EQ(parse_class_names({'a', '\n', 'b', 'c', '\n'}), names);
    EXPECT_EQ(parse_class_names({'a', '\n', '\n', 'b', 'c'}), names);
    EXPECT_TRUE(parse_class_names({}).empty());
}

}  // namespace
}  // namespace pianola::sample
