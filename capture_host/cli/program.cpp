#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string_view>
#include <system_error>

#include "capture_host/base/child.h"
#include "capture_host/cli/cli.h"
#include "capture_host/cli/complaint.h"
#include "capture_host/cli/file_list.h"
#include "capture_host/cli/options.h"
#include "capture_host/cli/terminal.h"
#include "hal/registry/registry.h"

namespace pianola::cli {
namespace {

constexpr const char* kFooter =
    "Exit codes: 0 done, 1 diff: the binaries are different; size --ftti-us: a fault is not handled in time, 2 usage,\n"
    "3 refused by the validator, or a signature or receipt that does not hold, 4 fault while replaying, 5 not a valid\n"
    "or not a supported model, 6 file can not be read or written, 7 logs are different, a binary computes something\n"
    "else than expected or than the model, or a mutant is not refused as expected, 70 defect in pianola. Each\n"
    "complaint says what is wrong, where and why, and a remedy.\n\n"
    "Example:\n"
    "  pianola capture model.tflite -o model.ptb\n"
    "  pianola verify model.ptb\n"
    "  pianola inspect model.ptb --commands\n"
    "  pianola run model.ptb --input image.bin --output scores.bin\n"
    "  pianola size model.ptb\n"
    "  pianola embed model.ptb -o model.c --header model.h\n"
    "  pianola timeline model.ptb -o model.html\n"
    "  pianola perf model.ptb\n"
    "  pianola measure model.ptb --board BOARD\n"
    "  pianola keygen -o private.pem\n"
    "  pianola sign model.ptb --key private.pem -o signed.ptb\n"
    "  pianola verify signed.ptb --key private.pem\n"
    "  pianola mutate model.ptb -o model.mutants";

// The sub-command that was chosen, of a sub-command too.
const CLI::App& chosen(const CLI::App& app) {
    const CLI::App* command = &app;
    while (!command->get_subcommands().empty()) {
        command = command->get_subcommands().front();
    }
    return *command;
}

// "pianola log show".
std::string words_of(const CLI::App& app) {
    std::string words = app.get_name();
    for (const CLI::App* command = &app; !command->get_subcommands().empty();) {
        command = command->get_subcommands().front();
        words += " " + command->get_name();
    }
    return words;
}

int parse_and_act(int argc, const char* const* argv) {
    CLI::App app{"Captures a static workload into a verified trace binary, and replays it.", "pianola"};
    app.footer(kFooter);
    app.set_version_flag("--version", "pianola " PIANOLA_VERSION);
    app.require_subcommand(1);
    app.fallthrough();  // --color may stand after the command
    add_color_option(app);
    Action action;
    add_commands(app, action);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) {  // --help or --version
            (void)app.exit(error);
            return ExitCode::kDone;
        }
        const Complaint complaint = complaint_of(app, error);
        throw CliError{complaint.code, complaint.message, complaint.remedy};
    }
    try {
        check_values(chosen(app));
        return action();
    } catch (const CliError& error) {
        if ((error.code() != kUsage) || !error.remedy().empty()) {
            throw;
        }
        throw CliError{kUsage, error.what(),
                       fmt::format("`{} --help` explains every option, with examples", words_of(app)), error.facts()};
    }
}

// Whether an error is printed as JSON too, even if the parser has failed before --json.
bool wants_json(int argc, const char* const* argv) {
    return std::any_of(argv, argv + argc, [](const char* each) { return std::string_view{each} == "--json"; });
}

// An exit code of 0 requires that standard output was written.
int finish_output(int code, std::string why = {}) {
    errno = 0;
    if ((std::fflush(stdout) == 0) && (std::ferror(stdout) == 0)) {
        return code;
    }
    why = (errno == 0) ? why : std::generic_category().message(errno);
    print_complaint({kFileTrouble,
                     "can not write to standard output" + (why.empty() ? "" : (": " + why)),
                     "free space, or keep the reader of the pipe alive; the exit code of a shell's pipe is its last "
                     "command's",
                     {}});
    return ExitCode::kFileTrouble;
}

int complain(const std::exception& error, bool as_json) {
    if (std::ferror(stdout) != 0) {  // fmt::print() throws if its bytes do not fit the buffer
        const auto* const failed = dynamic_cast<const std::system_error*>(&error);
        return finish_output(kFileTrouble, (failed == nullptr) ? std::string{} : failed->code().message());
    }
    const Complaint complaint = complaint_of(error);
    if (as_json) {
        nlohmann::json json = complaint.facts.is_object() ? complaint.facts : nlohmann::json::object();
        json["error"] = error_to_json(complaint);
        (void)std::fputs((json_text(json) + "\n").c_str(), stdout);
    }
    print_complaint(complaint);
    return finish_output(complaint.code);
}

struct NamedFile {
    std::string what;  // the option
    std::string name;
};

// The file that an argument names; commands check the contents of folders and lists.
std::string read_name(const std::string& value, bool may_be_list) {
    if (value == kStandardInput) {
        return "/dev/stdin";
    }
    return (may_be_list && (value.front() == kListMark)) ? value.substr(1U) : value;
}

bool is_file(const std::string& type) {
    return (type == kReads) || (type == kReadsMany) || (type == kReadsJson) || (type == kRuns) || (type == kWrites) ||
           (type == kWritesAs);
}

// The parser reads a number with a leading 0 as octal, which a padded version does not mean.
bool looks_octal(const std::string& number) {
    const std::size_t first = number.find_first_not_of(" \t\n\v\f\r+-");
    return (first != std::string::npos) && ((first + 1U) < number.size()) && (number[first] == '0') &&
           (std::isdigit(static_cast<unsigned char>(number[first + 1U])) != 0);
}

}  // namespace

std::string complaint_of_zeros(const std::string& value) {
    std::size_t begin = value.rfind('=') + 1U;  // 0 if there is no '='
    while (begin < value.size()) {
        const std::size_t end = std::min(value.find_first_of("/:", begin), value.size());
        const std::string number = value.substr(begin, end - begin);
        if (looks_octal(number)) {
            return fmt::format("{} has a 0 in front in {}: numbers are decimal, or hexadecimal with 0x", number, value);
        }
        begin = end + 1U;
    }
    return {};
}

namespace {

// Every number of the command line goes through here, as it was given: before the other checks of its option, which may
// replace the text.
void refuse_zeros_in_front(CLI::App& app) {
    std::vector<CLI::App*> commands{&app};
    for (std::size_t i = 0U; i < commands.size(); ++i) {
        for (CLI::App* const below : commands[i]->get_subcommands([](const CLI::App* /*each*/) { return true; })) {
            commands.push_back(below);
        }
        for (CLI::Option* const option : commands[i]->get_options()) {
            const std::string type = option->get_type_name();
            if (type == kSaysAnything) {
                continue;
            }
            const bool may_be_device = is_file(type);  // vulkan:N, or a name, which may have zeros
            option->transform(CLI::Validator{[may_be_device](std::string& value) {
                                                 return (may_be_device &&
                                                         (find_executor(known_targets(), value).executor == nullptr))
                                                            ? ""
                                                            : complaint_of_zeros(value);
                                             },
                                             ""});
        }
    }
}

void refuse_same(const NamedFile& output, const NamedFile& other, const char* use) {
    if (files::is_same_file(output.name, other.name)) {
        throw CliError{kUsage, fmt::format("{} {}: would be written over {} {}, which the command {}", output.what,
                                           files::readable(output.name), other.what, files::readable(other.name), use)};
    }
}

}  // namespace

void add_commands(CLI::App& app, Action& action) {
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_COMMAND(add) add(app, action);
#include "capture_host/cli/commands.inc"
#undef PIANOLA_COMMAND
    refuse_zeros_in_front(app);
}

void check_values(const CLI::App& command) {
    std::vector<NamedFile> inputs;
    std::vector<NamedFile> outputs;
    for (const CLI::Option* const option : command.get_options()) {
        const std::string type = option->get_type_name();
        for (const std::string& value : option->results()) {
            if (value.empty()) {
                throw CliError{kUsage, fmt::format("{}: the value is empty", option->get_name())};
            }
            if (type == kWrites) {
                outputs.push_back({option->get_name(), value});
            } else if (type == kWritesAs) {
                outputs.push_back({option->get_name(), value.substr(value.find('=') + 1U)});
            } else if (is_file(type)) {
                inputs.push_back({option->get_name(), read_name(value, type == kReadsMany)});
            } else {
                // Not a file.
            }
        }
    }
    const std::size_t count = outputs.size();
    for (std::size_t i = 0U; i < count; ++i) {
        for (std::size_t other = i + 1U; other < count; ++other) {
            refuse_same(outputs[i], outputs[other], "writes too");
        }
    }
    // A result that is printed can go to a file as well.
    outputs.push_back({"standard output", "/dev/stdout"});
    outputs.push_back({"standard error", "/dev/stderr"});
    for (const NamedFile& output : outputs) {
        for (const NamedFile& input : inputs) {
            refuse_same(output, input, "reads");
        }
    }
    for (std::size_t i = 0U; i < count; ++i) {
        refuse_same(outputs[i], outputs[count], "prints to");
        refuse_same(outputs[i], outputs[count + 1U], "prints to");
        files::check_replaceable(outputs[i].name);
    }
}

int run_pianola(int argc, const char* const* argv) {
    try {
        return finish_output(parse_and_act(argc, argv));
    } catch (const files::Interrupted& error) {
        (void)std::signal(error.signal(), SIG_DFL);
        return std::raise(error.signal());
    } catch (const std::exception& error) {
        return complain(error, wants_json(argc, argv));
    }
}

}  // namespace pianola::cli
