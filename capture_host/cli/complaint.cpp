#include "capture_host/cli/complaint.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "capture_host/binary/signing.h"
#include "capture_host/cli/options.h"
#include "capture_host/cli/suggest.h"
#include "capture_host/cli/terminal.h"

namespace pianola::cli {
namespace {

// Names in JSON, and what helps where nothing better is known.
struct Kind {
    ExitCode code;
    const char* name;
    const char* remedy;
};

const Kind& kind_of(ExitCode code) {
    static const std::vector<Kind> kKinds{
        {kUsage, "usage", "`pianola COMMAND --help` explains every option, with examples"},
        {kRefused, "refused",
         "do not use it before you know where it comes from: docs/guide/signing.md, docs/reference/receipt.md"},
        {kReplayFault, "fault",
         "`pianola run FILE --self-test --check-accesses` tells a damaged device from a wrong binary"},
        {kUnsupportedModel, "unsupported",
         "a quantised .tflite file is wanted, of int8, or of int16 with int8 weights; "
         "`pianola capture --list-operators` lists operators with types and limits"},
        {kFileTrouble, "file", "check name, contents and permissions of the file"},
        {kDifferent, "different", "find out which of the two is wrong before either is used"},
        {kInternalError, "defect", "this is a defect in pianola: please report the command line and the file"},
    };
    for (const Kind& kind : kKinds) {
        if (kind.code == code) {
            return kind;
        }
    }
    return kKinds.back();
}

Complaint make(ExitCode code, std::string message, const std::string& remedy = {}, nlohmann::json facts = {}) {
    return {code, std::move(message), remedy.empty() ? kind_of(code).remedy : remedy, std::move(facts)};
}

using Apps = std::vector<const CLI::App*>;

// The program and the sub-commands that were chosen, outermost first.
Apps chosen_of(const CLI::App& app) {
    Apps apps{&app};
    while (!apps.back()->get_subcommands().empty()) {
        apps.push_back(apps.back()->get_subcommands().front());
    }
    return apps;
}

// "pianola mutate"
std::string invocation_of(const Apps& apps) {
    std::string name;
    for (const CLI::App* const app : apps) {
        name += (name.empty() ? "" : " ") + app->get_name();
    }
    return name;
}

std::vector<std::string> commands_of(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* const each : app.get_subcommands([](const CLI::App* /*each*/) { return true; })) {
        names.push_back(each->get_name());
    }
    return names;
}

std::vector<std::string> options_of(const Apps& apps) {
    std::vector<std::string> names;
    for (const CLI::App* const app : apps) {
        for (const CLI::Option* const option : app->get_options()) {
            for (const std::string& name : option->get_lnames()) {
                names.push_back("--" + name);
            }
            for (const std::string& name : option->get_snames()) {
                names.push_back("-" + name);
            }
        }
    }
    return names;
}

// A word where a command should stand.
Complaint unknown_command(const Apps& apps, const std::string& word) {
    const std::vector<std::string> commands = commands_of(*apps.back());
    const std::string near = did_you_mean(word, commands);
    std::error_code ignored;
    std::string remedy;
    if (near.empty() && std::filesystem::exists(word, ignored)) {
        remedy = fmt::format("put a command in front of the file, as in `pianola verify {}`", word);
    } else {
        remedy = fmt::format("`{} --help` describes the commands: {}", invocation_of(apps), fmt::join(commands, ", "));
    }
    return make(kUsage, fmt::format("{} has no command '{}'{}", invocation_of(apps), word, near), remedy);
}

Complaint unexpected(const Apps& apps, const std::string& word) {
    const std::string name = invocation_of(apps);
    const std::string remedy = fmt::format("`{} --help` lists arguments and options, with examples", name);
    if ((word.size() > 1U) && (word.front() == '-')) {
        const std::string option = word.substr(0U, word.find('='));
        return make(kUsage,
                    fmt::format("{} has no option '{}'{}", name, option, did_you_mean(option, options_of(apps))),
                    remedy);
    }
    return make(kUsage, fmt::format("{}: '{}' is one argument too many", name, word), remedy);
}

// "--format: hexx not in {c,asm,object}": with the value that was meant.
std::string with_nearest_value(const std::string& message) {
    constexpr std::string_view kNotIn{" not in {"};
    const std::size_t colon = message.find(": ");
    const std::size_t list = message.find(kNotIn);
    if ((colon == std::string::npos) || (list == std::string::npos) || (list < (colon + 2U)) ||
        (message.back() != '}')) {
        return message;
    }
    const std::string word = message.substr(colon + 2U, list - (colon + 2U));
    std::vector<std::string> values;
    std::string rest = message.substr(list + kNotIn.size());
    rest.back() = ',';
    for (std::size_t comma = rest.find(','); comma != std::string::npos; comma = rest.find(',')) {
        values.push_back(rest.substr(0U, comma));
        rest = rest.substr(comma + 1U);
    }
    return message + did_you_mean(word, values);
}

// The word that the parser complains of without keeping it: "The following argument was not expected: x".
std::string word_in(const std::string& message) {
    const std::size_t colon = message.rfind(": ");
    return (colon == std::string::npos) ? message : message.substr(colon + 2U);
}

}  // namespace

Complaint complaint_of(const std::exception& error) {
    if (const auto* const known = dynamic_cast<const CliError*>(&error)) {
        return make(known->code(), known->what(), known->remedy(), known->facts());
    }
    if (const auto* const file = dynamic_cast<const files::FileError*>(&error)) {
        return make(kFileTrouble, file->what(), file->remedy());
    }
    if (dynamic_cast<const signing::SigningError*>(&error) != nullptr) {
        return make(kFileTrouble, error.what(),
                    "keys are PEM without a password, on the curve P-256: `pianola keygen` makes one, `pianola pubkey` "
                    "shows its public half");
    }
    return make(kInternalError, fmt::format("internal error: {}", error.what()));
}

namespace {

Complaint complaint_of_words(const CLI::App& app, const CLI::ParseError& error) {
    const Apps apps = chosen_of(app);
    const std::string name = invocation_of(apps);
    const std::vector<std::string> rest = app.remaining(true);
    const bool wants_command = !commands_of(*apps.back()).empty();
    const bool is_unexpected = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
    for (const std::string& word : rest) {
        const bool is_option = (word.size() > 1U) && (word.front() == '-');
        // A mistyped option is why another one, which is required, seems to be missing.
        if (is_option || is_unexpected) {
            return unexpected(apps, word);
        }
        if (wants_command) {
            return unknown_command(apps, word);
        }
    }
    if (is_unexpected) {
        return unexpected(apps, word_in(error.what()));
    }
    if (wants_command) {
        return make(kUsage, fmt::format("{}: a command is missing", name),
                    fmt::format("`{} --help` describes them: {}", name, fmt::join(commands_of(*apps.back()), ", ")));
    }
    return make(kUsage, fmt::format("{}: {}", name, with_nearest_value(error.what())),
                fmt::format("`{} --help` explains every option, with examples", name));
}

}  // namespace

// One line, whatever the words of the command line hold.
Complaint complaint_of(const CLI::App& app, const CLI::ParseError& error) {
    Complaint complaint = complaint_of_words(app, error);
    for (std::string* const text : {&complaint.message, &complaint.remedy}) {
        std::replace(text->begin(), text->end(), '\n', '_');
    }
    return complaint;
}

nlohmann::json error_to_json(const Complaint& complaint) {
    return {{"code", static_cast<int>(complaint.code)},
            {"kind", kind_of(complaint.code).name},
            {"message", complaint.message},
            {"remedy", complaint.remedy}};
}

void print_complaint(const Complaint& complaint) {
    // The parser's complaints name the command, and verdicts about the device have their own remedy.
    const bool names_program = complaint.message.rfind("pianola", 0U) == 0U;
    const bool has_remedy = complaint.message.find("\n  remedy  ") != std::string::npos;
    print_error(fmt::format("{}{}\n", names_program ? std::string{} : (paint(stderr, Colour::kBad, "pianola:") + " "),
                            without_controls(complaint.message)));
    if (!has_remedy) {
        print_error(fmt::format("  remedy  {}\n", without_controls(complaint.remedy)));
    }
}

}  // namespace pianola::cli
