// What every command promises for every value that it takes: what is wrong with it is said by the option's name; sizes
// and JSON of others are looked at before they cost anything.
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "capture_host/cli/options.h"
#include "pianola_host/files.h"
#include "tests/cli/all_commands_fixture.h"

namespace pianola::test {
namespace {

namespace fs = std::filesystem;

TEST_F(AllCommands, SayOfEveryOptionWhatItsTextIs) {
    const std::set<std::string> known{cli::kReads,    cli::kReadsMany, cli::kReadsJson, cli::kRuns,        cli::kWrites,
                                      cli::kWritesAs, cli::kSaysName,  cli::kSaysValue, cli::kSaysAnything};
    EXPECT_GE(all_commands().size(), 14U);
    for (const CommandUnderTest& command : all_commands()) {
        for (const OptionUnderTest& option : command.options) {
            const std::string kind = option.type.substr(0U, option.type.find_first_of(": "));
            const bool is_list = (kind == "TEXT") && (option.type.find('{') != std::string::npos);
            const bool is_number = (kind == "UINT") || (kind == "INT") || (kind == "FLOAT");
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
    for_each_option({cli::kReads, cli::kReadsMany, cli::kReadsJson}, [&](const CommandUnderTest& command,
                                                                         const OptionUnderTest& option) {
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
    files::store_file("small.json", std::string_view{"{\"profile\": \"small_ecu\"}"});
    const std::vector<std::string> capture{"capture", "good.tflite", "-o", "new.ptb"};
    const std::vector<WrongCall> calls{
        {{"capture", "good.tflite", "-o", "new.ptb", "--pipelined"}, "--pipelined"},
        {{"capture", "good.tflite", "-o", "new.ptb", "--queues", "2", "--in-flight", "2"}, "--in-flight"},
        {{"capture", "good.tflite", "-o", "new.ptb", "--queues", "2", "--pipelined", "--in-flight", "17"},
         "--in-flight"},
        {{"capture", "good.tflite", "-o", "new.ptb", "--queues", "2", "--pipelined", "--in-flight", "3", "--device",
          "small.json"},
         "--in-flight"},
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
        {{"perf", "good.ptb", "--mode", "fast"}, "--mode"},
        {{"perf", "good.ptb", "--replay-ns", "1000000001"}, "--replay-ns"},
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

}  // namespace
}  // namespace pianola::test
