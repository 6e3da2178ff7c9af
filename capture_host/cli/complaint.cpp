#include "capture_host/cli/complaint.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "capture_host/binary/signing.h"
#include "capture_host/cli/options.h"
#include "capture_host/cli/terminal.h"

namespace pianola::cli {
namespace {

// Names in JSON, and the remedies for complaints that have none.
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

constexpr std::size_t kMost = 3U;
constexpr std::size_t kLettersPerMistake = 3U;

bool begins_with(const std::string& text, const std::string& start) {
    return text.compare(0U, start.size(), start) == 0;
}

// How many letters must be added, left out, replaced, or exchanged with their neighbour.
std::size_t edit_distance(const std::string& left, const std::string& right) {
    // distance[i][j]: from the first i letters of `left` to the first j letters of `right`.
    const std::size_t width = right.size() + 1U;
    std::vector<std::vector<std::size_t>> distance(left.size() + 1U, std::vector<std::size_t>(width));
    for (std::size_t j = 0U; j < width; ++j) {
        distance[0U][j] = j;
    }
    for (std::size_t i = 1U; i <= left.size(); ++i) {
        distance[i][0U] = i;
        for (std::size_t j = 1U; j < width; ++j) {
            const std::size_t replaced = (left[i - 1U] == right[j - 1U]) ? 0U : 1U;
            distance[i][j] =
                std::min({distance[i - 1U][j] + 1U, distance[i][j - 1U] + 1U, distance[i - 1U][j - 1U] + replaced});
            const bool is_exchanged =
                (i > 1U) && (j > 1U) && (left[i - 1U] == right[j - 2U]) && (left[i - 2U] == right[j - 1U]);
            if (is_exchanged) {
                distance[i][j] = std::min(distance[i][j], distance[i - 2U][j - 2U] + 1U);
            }
        }
    }
    return distance.back().back();
}

// The candidates that a mistyped word of this length can mean, nearest first; empty if none is near.
std::vector<std::string> suggestions(const std::string& word, const std::vector<std::string>& candidates) {
    std::vector<std::pair<std::size_t, std::string>> near;
    const std::size_t admitted = std::max<std::size_t>(1U, word.size() / kLettersPerMistake);
    constexpr std::size_t kShortestStart = 3U;  // shorter ones begin too much
    for (const std::string& candidate : candidates) {
        const std::size_t distance = edit_distance(word, candidate);
        if (distance <= admitted) {
            near.emplace_back(distance, candidate);
        } else if ((word.size() >= kShortestStart) && (word != "--") && begins_with(candidate, word)) {
            near.emplace_back(admitted, candidate);
        } else {
            // Not near.
        }
    }
    const auto nearest = std::min_element(near.begin(), near.end(),
                                          [](const auto& one, const auto& other) { return one.first < other.first; });
    std::vector<std::string> names;
    for (const auto& [distance, name] : near) {
        // Only the nearest ones are named.
        if ((names.size() < kMost) && (distance == nearest->first)) {
            names.push_back(name);
        }
    }
    return names;
}

// "; did you mean --json or --jobs?", or nothing.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates) {
    const std::vector<std::string> names = suggestions(word, candidates);
    return names.empty() ? std::string{} : fmt::format("; did you mean {}?", fmt::join(names, " or "));
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

// A word in the place of a command.
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
