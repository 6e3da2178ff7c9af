// What every command promises for every file and value that it takes: nothing that it reads, and no key, is written
// over; what is wrong with a value is said by the option's name; sizes and JSON of others are looked at before they
// cost anything.
#include "tests/cli/all_commands.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <memory>
#include <set>

#include "capture_host/cli/cli.h"
#include "capture_host/files/files.h"
#include "capture_host/files/json.h"

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

std::string text_of(const std::vector<std::string>& arguments) {
    std::string text = "pianola";
    for (const std::string& each : arguments) {
        text += " " + each;
    }
    return text;
}

void expect_refusal(const Outcome& outcome, int code, const std::vector<std::string>& words, const std::string& what) {
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
        const fs::path good = fs::current_path();
        const Folder folder;
        fs::copy(good, fs::current_path(), fs::copy_options::recursive);
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

TEST_F(AllCommands, SayOfEveryOptionWhatItsTextIs) {
    const std::set<std::string> known{cli::kReads,  cli::kReadsJson, cli::kRuns,
                                      cli::kWrites, cli::kSaysName,  cli::kSaysAnything};
    EXPECT_GE(all_commands().size(), 14U);
    for (const CommandUnderTest& command : all_commands()) {
        for (const OptionUnderTest& option : command.options) {
            const std::string kind = option.type.substr(0U, option.type.find_first_of(": "));
            const bool is_list = (kind == "TEXT") && (option.type.find('{') != std::string::npos);
            const bool is_number = (kind == "UINT") || (kind == "INT");
            EXPECT_TRUE(option.is_flag || is_list || is_number || (known.count(option.type) != 0U))
                << command.name() << " " << option.name << " is " << option.type << ": give it a type_name() of cli.h";
        }
    }
}

TEST_F(AllCommands, GoodFilesAreGood) {
    // Otherwise refusals below would be for other reasons.
    for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
             {"capture", "good.tflite", "-o", "a.ptb", "--device", "good.json"},
             {"run", "good.ptb", "--input", "good.bin", "--output", "b.bin", "--device", "good.json", "--log", "b.log"},
             {"sign", "good.ptb", "--key", "good.pem", "-o", "c.ptb"},
             {"receipt", "check", "good.receipt", "--key", "good.pem", "--binary", "good.ptb"},
             {"mutate", "--merge", "good_report.json"},
             {"log", "diff", "good.log", "other.log"}}) {
        EXPECT_EQ(call(arguments).code, cli::kDone) << text_of(arguments) << "\n" << call(arguments).complaint;
    }
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

// Bytes that this process has read from files so far.
std::uint64_t bytes_read() {
    std::ifstream io{"/proc/self/io"};
    std::string name;
    std::uint64_t value = 0U;
    while (io >> name >> value) {
        if (name == "rchar:") {
            return value;
        }
    }
    ADD_FAILURE() << "the system does not count what is read";
    return 0U;
}

TEST_F(AllCommands, LookAtSizesBeforeTheyRead) {
    for_each_option(
        {cli::kReads, cli::kReadsJson}, [&](const CommandUnderTest& command, const OptionUnderTest& option) {
            in_new_folder([&](const Folder&) {
                files::store_file("long", std::string_view{});
                fs::resize_file("long", std::uint64_t{8U} << 30U);
                const std::vector<std::string> arguments = complete(command, {{option.name, "long"}});
                const std::uint64_t before = bytes_read();
                const Outcome outcome = call(arguments);
                EXPECT_LT(bytes_read() - before, 1U << 20U) << text_of(arguments);
                EXPECT_TRUE((outcome.code == cli::kFileTrouble) || (outcome.code == cli::kUsage)) << text_of(arguments);
                EXPECT_NE(outcome.complaint.find("long"), std::string::npos) << text_of(arguments) << outcome.complaint;
            });
        });
}

TEST_F(AllCommands, RefuseJsonThatIsNestedOrHasAMemberTwice) {
    const std::size_t deep = 200'000U;
    std::string objects;
    for (std::size_t i = 0U; i < deep; ++i) {
        objects += "{\"a\":";
    }
    struct Bad {
        std::string name;
        std::string text;
        std::string complaint;
    };
    std::vector<Bad> bad{{"arrays", std::string(deep, '['), "nested deeper"},
                         {"closed arrays", std::string(deep, '[') + std::string(deep, ']'), "nested deeper"},
                         {"objects", objects, "nested deeper"},
                         {"a member twice", R"({"a": 1, "b": 2, "a": 1})", "\"a\" appears twice"},
                         {"a member twice, spelled otherwise", R"({"a": 1, "\u0061": 1})", "\"a\" appears twice"},
                         {"a member twice, inside", R"({"a": [{"b": {"c": 1, "c": 2}}]})", "\"c\" appears twice"}};
    for_each_option({cli::kReadsJson}, [&](const CommandUnderTest& command, const OptionUnderTest& option) {
        std::vector<Bad> all = bad;
        // Good but for one member: deep inside, and twice.
        const std::string good = contents_of(good_value(command, option));
        const std::size_t first = good.find('{') + 1U;
        const std::string member = good.substr(first, good.find_first_of(",}", first) - first);
        if (member.find('{') == std::string::npos) {
            all.push_back(
                {"its first member twice", good.substr(0U, first) + member + "," + good.substr(first), "twice"});
        }
        all.push_back({"good and deep",
                       good.substr(0U, first) + "\"x\": " + std::string(deep, '[') + std::string(deep, ']') + "," +
                           good.substr(first),
                       "nested deeper"});
        for (const Bad& each : all) {
            in_new_folder([&](const Folder&) {
                files::store_file("bad.json", each.text);
                const std::vector<std::string> arguments = complete(command, {{option.name, "bad.json"}});
                const Outcome outcome = call(arguments);
                expect_refusal(outcome, outcome.code, {each.complaint, "bad.json"},
                               text_of(arguments) + ": " + each.name);
                EXPECT_TRUE((outcome.code == cli::kUsage) || (outcome.code == cli::kRefused) ||
                            (outcome.code == cli::kFileTrouble))
                    << text_of(arguments) << ": " << outcome.code;
            });
        }
    });
}

// The report that an interrupted run has left is JSON that no option names.
TEST_F(AllCommands, GoOnFromNoReportThatIsNestedOrHasAMemberTwice) {
    const std::vector<std::string> arguments{"mutate", "good.ptb",   "-o",      "made",
                                             "--kind", "truncation", "--count", "2"};
    ASSERT_EQ(call(arguments).code, cli::kDone);
    const std::string good = contents_of("made/mutants.json");
    ASSERT_EQ(call(arguments).code, cli::kDone);
    for (const std::string& text :
         {"{\"format\": 1," + good.substr(1U), std::string(200'000U, '['),
          "{\"x\": " + std::string(100'000U, '[') + std::string(100'000U, ']') + "," + good.substr(1U)}) {
        files::store_file("made/mutants.json", text);
        expect_refusal(call(arguments), cli::kFileTrouble, {"mutants.json"}, text.substr(0U, 40U));
    }
}

TEST_F(AllCommands, NameTheOptionWhoseValueIsWrong) {
    std::size_t options = 0U;
    for (const CommandUnderTest& command : all_commands()) {
        for (const OptionUnderTest& option : command.options) {
            const std::string kind = option.type.substr(0U, option.type.find_first_of(": "));
            std::vector<std::string> wrong{""};
            if (option.is_flag) {
                wrong = {"maybe"};
            } else if ((kind == "UINT") || (kind == "INT")) {
                wrong = {"", "-1", "x", "1.5", "1x", "99999999999999999999999"};
            } else if (kind == "TEXT") {
                wrong = {"", "none of these"};
            } else if (kind == cli::kSaysName) {
                wrong = {"", "no name!", "1/", "../x y"};
            } else {
                // Of a file's name, nothing but that it is empty is wrong by itself.
            }
            for (const std::string& value : wrong) {
                ASSERT_FALSE(complete(command, {}).empty()) << command.name();
                std::vector<std::string> arguments = complete(command, {{option.name, value}});
                if (arguments.empty()) {  // the parser sees it
                    arguments = arguments_for(command, {{option.name, value}});
                }
                expect_refusal(call(arguments), cli::kUsage, {option.name}, text_of(arguments));
                ++options;
            }
        }
    }
    EXPECT_GT(options, 100U);
}

struct WrongCall {
    std::vector<std::string> arguments;
    std::string names;
};

// Values that are wrong only together with others, or for this file.
TEST_F(AllCommands, NameTheOptionThatDoesNotFitTheRest) {
    files::store_file("one_queue.json", std::string_view{"{\"queue_count\": 1}"});
    const std::vector<std::string> capture{"capture", "good.tflite", "-o", "new.ptb"};
    const std::vector<WrongCall> calls{
        {{"capture", "good.tflite", "-o", "new.ptb", "--pipelined"}, "--pipelined"},
        {{"capture", "good.tflite", "-o", "new.ptb", "--queues", "2", "--device", "one_queue.json"}, "--queues"},
        {{"capture", "good.tflite", "-o", "new.ptb", "--queues", "3"}, "--queues"},
        {{"capture", "good.tflite", "-o", "new.ptb", "--setup-deadline-us", "1", "--device", "slow.json"},
         "--setup-deadline-us"},
        {{"capture", "good.tflite", "-o", "new.ptb", "--deadline-us", "1", "--device", "slow.json"}, "--deadline-us"},
        {{"capture", "good.tflite", "-o", "new.ptb", "--deadline-us", "0"}, "--deadline-us"},
        {{"capture", "good.tflite", "-o", "new.ptb", "--self-test", "257"}, "--self-test"},
        {{"run", "good.ptb", "--repeat", "0"}, "--repeat"},
        {{"run", "good.ptb"}, "--input"},
        {{"run", "good.ptb", "--input", "good.json", "--output", "new"}, "--input"},
        {{"embed", "good.ptb", "-o", "new.x"}, "--output"},
        {{"embed", "good.ptb", "-o", "new.o"}, "--compiler"},
        {{"embed", "good.ptb", "-o", "new.c", "--compiler", "cc"}, "--compiler"},
        {{"embed", "good.ptb", "-o", "new.c", "--compiler-flag", "-g"}, "--compiler"},
        {{"embed", "good.ptb", "-o", "new.o", "--compiler", "./missing"}, "--compiler"},
        {{"embed", "good.ptb", "-o", "new.o", "--compiler", "false"}, "--compiler"},
        {{"timeline", "good.ptb", "-o", "new.x"}, "--output"},
        {{"timeline", "good.ptb", "--steps", "0"}, "--steps"},
        {{"timeline", "good.ptb", "--steps", "10001"}, "--steps"},
        {{"timeline", "good.ptb", "--dispatch-ns", "1000000001"}, "--dispatch-ns"},
        {{"size", "good.ptb", "--json", "--ld"}, "--ld"},
        {{"mutate", "good.ptb", "--report-only", "--shard", "0/1"}, "--shard"},
        {{"mutate", "good.ptb", "--report-only", "--shard", "2/1"}, "--shard"},
        {{"mutate", "good.ptb", "--report-only", "--shard", "1/5000"}, "--shard"},
        {{"mutate", "good.ptb", "--report-only", "--count", "0"}, "--count"},
        {{"mutate", "good.ptb", "--merge", "good_report.json"}, "--merge"},
        {{"mutate", "--merge", "good_report.json", "--seed", "2"}, "--merge"},
        {{"mutate", "good.ptb"}, "-o"},
        {{"sign", "good.ptb", "-o", "new"}, "--key"},
        {{"sign", "good.ptb", "-o", "new", "--key", "good.pem", "--public", "good.pem"}, "--key"},
        {{"sign", "good.ptb", "-o", "new", "--digest-out", "new.digest"}, "--digest-out"},
        {{"verify", "good.ptb", "--receipt", "new"}, "--receipt"},
        {{"verify", "good.ptb", "--device", "good.bin"}, "--device"},
    };
    files::store_file("slow.json", std::string_view{"{\"clock_khz\": 1}"});
    for (const WrongCall& each : calls) {
        expect_refusal(call(each.arguments), cli::kUsage, {each.names}, text_of(each.arguments));
        EXPECT_FALSE(fs::exists("new")) << text_of(each.arguments);
    }
    EXPECT_EQ(call(capture).code, cli::kDone);
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
