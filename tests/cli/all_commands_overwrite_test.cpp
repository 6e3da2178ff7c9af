// No command writes over what it reads, over a key, over its other results, or into its own standard output; what lies
// in a folder of mutants stays.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <memory>

#include "capture_host/cli/options.h"
#include "pianola_host/files.h"
#include "tests/cli/all_commands_fixture.h"

namespace pianola::test {
namespace {

namespace fs = std::filesystem;

struct Way {
    const char* name;
    // Makes the second name of what is, or will be, `file`.
    std::function<std::string(const std::string& file)> second_name;
    bool needs_file;
};

const std::vector<Way>& ways() {
    static const std::vector<Way> kWays{
        {"the same name", [](const std::string& file) { return file; }, false},
        {"another spelling",
         [](const std::string& file) { return "./../" + fs::current_path().filename().string() + "/" + file; }, false},
        {"a link",
         [](const std::string& file) {
             fs::create_symlink(file, "link");
             return std::string{"link"};
         },
         false},
        {"a link to a link in another folder",
         [](const std::string& file) {
             fs::create_directory("folder");
             fs::create_symlink("../" + file, "folder/first");
             fs::create_symlink("folder/first", "link");
             return std::string{"link"};
         },
         false},
        {"a hard link",
         [](const std::string& file) {
             fs::create_hard_link(file, "hard");
             return std::string{"hard"};
         },
         true},
    };
    return kWays;
}

TEST_F(AllCommands, NeverWriteOverWhatTheyRead) {
    std::size_t pairs = 0U;
    for (const CommandUnderTest& command : all_commands()) {
        for (const OptionUnderTest& output : command.options_of({cli::kWrites})) {
            for (const OptionUnderTest& input : command.options_of(types_that_are_read())) {
                const std::string file = good_value(command, input);
                if (complete(command, {{input.name, file}, {output.name, "new"}}).empty()) {
                    continue;  // they exclude each other
                }
                ++pairs;
                for (const Way& way : ways()) {
                    for (const bool reads_second_name : {false, true}) {
                        in_new_folder([&](const Folder& folder) {
                            const std::string second = way.second_name(file);
                            const std::vector<std::string> arguments =
                                complete(command, {{input.name, reads_second_name ? second : file},
                                                   {output.name, reads_second_name ? file : second}});
                            const std::string before = contents_of(file);
                            const std::vector<std::string> names = folder.names();
                            const std::string what = text_of(arguments) + ", by " + way.name;
                            expect_refusal(call(arguments), cli::kUsage, {input.name, output.name}, what);
                            EXPECT_EQ(contents_of(file), before) << what;
                            EXPECT_EQ(folder.names(), names) << what;
                        });
                    }
                }
            }
        }
    }
    EXPECT_GE(pairs, 35U);
}

TEST_F(AllCommands, NeverWriteTwoResultsToOneFile) {
    std::size_t pairs = 0U;
    for (const CommandUnderTest& command : all_commands()) {
        const std::vector<OptionUnderTest> outputs = command.options_of({cli::kWrites});
        for (std::size_t i = 0U; i < outputs.size(); ++i) {
            for (std::size_t j = i; j < outputs.size(); ++j) {
                if (complete(command, {{outputs[i].name, "a"}, {outputs[j].name, "b"}}).empty()) {
                    continue;  // they exclude each other, or one option takes one file
                }
                ++pairs;
                for (const bool exists : {false, true}) {
                    for (const Way& way : ways()) {
                        if (way.needs_file && !exists) {
                            continue;
                        }
                        in_new_folder([&](const Folder& folder) {
                            if (exists) {
                                files::store_file("new", std::string_view{"old"});
                            }
                            const std::string second = way.second_name("new");
                            const std::vector<std::string> arguments =
                                complete(command, {{outputs[i].name, "new"}, {outputs[j].name, second}});
                            const std::vector<std::string> names = folder.names();
                            const std::string what = text_of(arguments) + ", by " + way.name;
                            expect_refusal(call(arguments), cli::kUsage, {outputs[i].name, outputs[j].name}, what);
                            EXPECT_EQ(folder.names(), names) << what;
                        });
                    }
                }
            }
        }
    }
    EXPECT_GE(pairs, 4U);
}

TEST_F(AllCommands, NeverWriteOverAKey) {
    const std::vector<std::string> keys{
        contents_of("good.pem"), "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
        "some text\n-----BEGIN EC PARAMETERS-----\nAA\n-----END EC PARAMETERS-----\n-----BEGIN EC PRIVATE KEY-----\n",
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\n"};
    for_each_option({cli::kWrites}, [&](const CommandUnderTest& command, const OptionUnderTest& output) {
        for (const std::string& key : keys) {
            for (const Way& way : ways()) {
                in_new_folder([&](const Folder&) {
                    std::ofstream{"valued.pem"} << key;
                    const std::string name = way.second_name("valued.pem");
                    const std::vector<std::string> arguments = complete(command, {{output.name, name}});
                    expect_refusal(call(arguments), cli::kFileTrouble, {"can not write", name},
                                   text_of(arguments) + ", by " + way.name);
                    EXPECT_EQ(contents_of("valued.pem"), key) << text_of(arguments);
                });
            }
        }
    });
}

// Calls with standard output at the end of a file.
Outcome call_into(const std::string& file, const std::vector<std::string>& arguments) {
    std::vector<const char*> pointers{"pianola"};
    for (const std::string& argument : arguments) {
        pointers.push_back(argument.c_str());
    }
    (void)std::fflush(stdout);
    const int before = dup(STDOUT_FILENO);
    {
        const std::unique_ptr<std::FILE, int (*)(std::FILE*)> redirected{std::fopen(file.c_str(), "a"), &std::fclose};
        (void)dup2(fileno(redirected.get()), STDOUT_FILENO);
    }
    testing::internal::CaptureStderr();
    Outcome outcome;
    outcome.code = cli::run_pianola(static_cast<int>(pointers.size()), pointers.data());
    outcome.complaint = testing::internal::GetCapturedStderr();
    (void)std::fflush(stdout);
    (void)dup2(before, STDOUT_FILENO);
    (void)close(before);
    return outcome;
}

TEST_F(AllCommands, NeverPrintIntoWhatTheyReadOrWrite) {
    std::vector<std::string> types = types_that_are_read();
    types.emplace_back(cli::kWrites);
    for_each_option(types, [&](const CommandUnderTest& command, const OptionUnderTest& option) {
        in_new_folder([&](const Folder&) {
            const bool is_read = option.type != cli::kWrites;
            const std::string file = is_read ? good_value(command, option) : "printed";
            const std::string before = is_read ? contents_of(file) : "";
            const std::vector<std::string> arguments = complete(command, {{option.name, file}});
            expect_refusal(call_into(file, arguments), cli::kUsage, {"standard output", option.name},
                           text_of(arguments) + " >> " + file);
            EXPECT_EQ(contents_of(file), before) << text_of(arguments);
        });
    });
}

TEST_F(AllCommands, KeepWhatTheyReadInAFolderOfMutants) {
    fs::create_directory("made");
    ASSERT_EQ(call({"mutate", "good.ptb", "-o", "made", "--kind", "truncation", "--count", "1"}).code, cli::kDone);
    std::string mutant;
    for (const auto& entry : fs::directory_iterator{"made"}) {
        mutant = (entry.path().extension() == ".ptb") ? entry.path().string() : mutant;
    }
    ASSERT_FALSE(mutant.empty());
    const std::string good = contents_of("good.ptb");
    const std::vector<std::function<std::string()>> ways_in{
        [&] {
            fs::copy_file("good.ptb", mutant);
            return mutant;
        },
        [&] {
            fs::create_symlink("../good.ptb", mutant);
            return std::string{"good.ptb"};
        },
        [&] {
            fs::create_hard_link("good.ptb", mutant);
            return std::string{"good.ptb"};
        },
    };
    for (const auto& way : ways_in) {
        fs::remove_all("made");
        fs::create_directory("made");
        const std::string file = way();
        expect_refusal(call({"mutate", file, "-o", "made", "--kind", "truncation", "--count", "1"}), cli::kUsage,
                       {"--output", file}, "mutate " + file);
        EXPECT_EQ(contents_of("good.ptb"), good);
        EXPECT_EQ(contents_of(file), good);
    }
}

}  // namespace
}  // namespace pianola::test
