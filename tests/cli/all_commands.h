// Every command of the program, as its own parser lists them, and a folder with a good file for each option that takes
// one.
//
// Tests of all commands ask the parser for its options, so that a new command or option is tested at once, or fails
// until make_good_files() makes a file for it.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

namespace pianola::test {

struct Given {
    std::string option;  // "--key", or the name of a positional argument
    std::string value;
};

struct OptionUnderTest {
    std::string name;
    std::string type;  // CLI::Option::get_type_name()
    bool is_positional{false};
    bool is_required{false};
    bool is_flag{false};
    int values{1};  // that it takes each time
};

struct CommandUnderTest {
    std::vector<std::string> words;  // "log", "show"
    std::vector<OptionUnderTest> options;

    [[nodiscard]] std::string name() const;
    [[nodiscard]] std::vector<OptionUnderTest> options_of(const std::vector<std::string>& types) const;
};

[[nodiscard]] std::vector<CommandUnderTest> all_commands();
[[nodiscard]] std::vector<std::string> types_that_are_read();  // kReads and the like

// A new folder with good files, as the current one; it goes away at the end.
class Folder {
  public:
    Folder();
    ~Folder();
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    [[nodiscard]] std::vector<std::string> names() const;  // sorted

  private:
    std::filesystem::path before_;
    std::filesystem::path path_;
};

// Makes the good files in the current folder.
void make_good_files();
// The name of the good file for an option of a command; for outputs one that is not there.
[[nodiscard]] std::string good_value(const CommandUnderTest& command, const OptionUnderTest& option);

// The arguments of a call that the parser accepts, with good values for what the command demands besides `given`. Empty
// where there is none: options exclude each other.
[[nodiscard]] std::vector<std::string> complete(const CommandUnderTest& command, const std::vector<Given>& given);
// The same without asking the parser.
[[nodiscard]] std::vector<std::string> arguments_for(const CommandUnderTest& command, const std::vector<Given>& given);

struct Outcome {
    int code{0};
    std::string complaint;  // on standard error
};
[[nodiscard]] Outcome call(const std::vector<std::string>& arguments);

[[nodiscard]] std::string contents_of(const std::filesystem::path& path);

}  // namespace pianola::test
