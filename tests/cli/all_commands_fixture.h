// A folder of good files, and calls of every command with one option after the other.
//
// What the tests that hold for all commands share.
#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "capture_host/cli/cli.h"
#include "tests/cli/all_commands.h"

namespace pianola::test {

inline std::string text_of(const std::vector<std::string>& arguments) {
    std::string text = "pianola";
    for (const std::string& each : arguments) {
        text += " " + each;
    }
    return text;
}

inline void expect_refusal(const Outcome& outcome, int code, const std::vector<std::string>& words,
                           const std::string& what) {
    EXPECT_EQ(outcome.code, code) << what << "\n" << outcome.complaint;
    for (const std::string& word : words) {
        EXPECT_NE(outcome.complaint.find(word), std::string::npos) << what << ": no '" << word << "' in\n"
                                                                   << outcome.complaint;
    }
}

class AllCommands : public testing::Test {
  protected:
    void SetUp() override { make_good_files(); }

    // Makes the folder anew and calls `judge`: no case sees what another has left.
    static void in_new_folder(const std::function<void(const Folder& folder)>& judge) {
        const std::filesystem::path good = std::filesystem::current_path();
        const Folder folder;
        std::filesystem::copy(good, std::filesystem::current_path(), std::filesystem::copy_options::recursive);
        judge(folder);
    }

    // One argument for each option of one of these types, of every command.
    static void for_each_option(
        const std::vector<std::string>& types,
        const std::function<void(const CommandUnderTest& command, const OptionUnderTest& option)>& judge) {
        std::size_t count = 0U;
        for (const CommandUnderTest& command : all_commands()) {
            for (const OptionUnderTest& option : command.options_of(types)) {
                judge(command, option);
                ++count;
            }
        }
        EXPECT_GT(count, 5U);
    }

  private:
    Folder folder_;
};

}  // namespace pianola::test
