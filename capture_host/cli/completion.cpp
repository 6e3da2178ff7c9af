// pianola completion: what a shell needs to complete commands, options and values. Made from the parser itself, so that
// new commands and options are completed without further work.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "capture_host/cli/cli.h"
#include "capture_host/cli/options.h"

namespace pianola::cli {
namespace {

// The value after an option: a file, one of these words, or something that cannot be completed.
struct Value {
    bool is_file{false};
    std::vector<std::string> words;
};

Value value_of(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    Value value;
    value.is_file =
        (type == kReads) || (type == kReadsJson) || (type == kRuns) || (type == kReadsMany) || (type == kWrites);
    const std::size_t begin = type.find('{');
    if ((begin != std::string::npos) && (type.find('}', begin) != std::string::npos)) {
        std::string list = type.substr(begin + 1U, type.find('}', begin) - (begin + 1U)) + ",";
        for (std::size_t comma = list.find(','); comma != std::string::npos; comma = list.find(',')) {
            // A map's entries are "name->value".
            const std::string word = list.substr(0U, comma);
            value.words.push_back(word.substr(0U, word.find("->")));
            list = list.substr(comma + 1U);
        }
    }
    return value;
}

std::vector<std::string> spellings(const CLI::Option& option) {
    std::vector<std::string> names;
    for (const std::string& name : option.get_lnames()) {
        names.push_back("--" + name);
    }
    for (const std::string& name : option.get_snames()) {
        names.push_back("-" + name);
    }
    return names;
}

// The first sentence, without characters that have a meaning in shells.
std::string plain(const std::string& description) {
    std::string text = description.substr(0U, std::min(description.find_first_of(".;\n"), description.size()));
    for (char& each : text) {
        each = (std::string{"'\"`\\$[]:"}.find(each) == std::string::npos) ? each : ' ';
    }
    return text;
}

struct Command {
    std::string path;  // "pianola log show"
    const CLI::App* app;
    std::vector<const CLI::App*> below;
};

std::vector<Command> all_commands(const CLI::App& app) {
    std::vector<Command> commands{{app.get_name(), &app, {}}};
    for (std::size_t i = 0U; i < commands.size(); ++i) {
        commands[i].below = commands[i].app->get_subcommands([](const CLI::App* /*each*/) { return true; });
        for (const CLI::App* const each : std::vector<const CLI::App*>{commands[i].below}) {
            commands.push_back({commands[i].path + " " + each->get_name(), each, {}});
        }
    }
    return commands;
}

std::string quoted_list(const std::vector<std::string>& texts) {
    std::string list;
    for (const std::string& each : texts) {
        list += fmt::format("{}\"{}\"", list.empty() ? "" : " | ", each);
    }
    return list;
}

// The parts that bash and zsh share: how to find the command, what each takes, and what follows an option.
struct Cases {
    std::string paths;   // pattern of what is a command
    std::string values;  // cases of "PATH OPTION"
    std::string words;   // cases of "PATH"
};

Cases cases_of(const CLI::App& app, const char* words_line, const char* files_line) {
    Cases cases;
    std::vector<std::string> paths;
    for (const Command& command : all_commands(app)) {
        std::string words;
        for (const CLI::App* const each : command.below) {
            words += each->get_name() + " ";
            paths.push_back(command.path + " " + each->get_name());
        }
        std::vector<std::string> takes_file;
        bool has_files = false;
        for (const CLI::Option* const option : command.app->get_options()) {
            const Value value = value_of(*option);
            std::vector<std::string> patterns;
            for (const std::string& name : spellings(*option)) {
                words += name + " ";
                patterns.push_back(command.path + " " + name);
            }
            if (patterns.empty()) {  // an argument
                has_files = has_files || value.is_file;
                words += fmt::format("{} ", fmt::join(value.words, " "));
            }
            if (!patterns.empty() && value.is_file) {
                takes_file.insert(takes_file.end(), patterns.begin(), patterns.end());
            }
            if (!patterns.empty() && !value.words.empty()) {
                cases.values += fmt::format("        {}) {} ;;\n", quoted_list(patterns),
                                            fmt::format(fmt::runtime(words_line), fmt::join(value.words, " ")));
            }
        }
        if (!takes_file.empty()) {
            cases.values += fmt::format("        {}) {} ;;\n", quoted_list(takes_file), files_line);
        }
        cases.words +=
            fmt::format("        \"{}\") words=\"{}\" files={} ;;\n", command.path, words, has_files ? 1 : 0);
    }
    cases.paths = quoted_list(paths);
    return cases;
}

std::string bash_completion(const CLI::App& app) {
    const Cases cases = cases_of(app, "mapfile -t COMPREPLY < <(compgen -W \"{}\" -- \"$current\"); return",
                                 "mapfile -t COMPREPLY < <(compgen -f -- \"$current\"); compopt -o filenames; return");
    return "# shellcheck shell=bash\n# Completion of pianola in bash; made by `pianola completion bash`.\n"
           "_pianola() {\n"
           "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=pianola\n"
           "    local words=\"\" files=0 i\n"
           "    for ((i = 1; i < COMP_CWORD; ++i)); do\n"
           "        case \"$command ${COMP_WORDS[i]}\" in\n        " +
           cases.paths +
           ") command=\"$command ${COMP_WORDS[i]}\" ;;\n        esac\n    done\n"
           "    case \"$command $before\" in\n" +
           cases.values + "    esac\n    case \"$command\" in\n" + cases.words +
           "    esac\n"
           "    if [[ $files = 1 && $current != -* ]]; then\n"
           "        mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
           "        compopt -o filenames\n"
           "    else\n"
           "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
           "    fi\n"
           "}\n"
           "complete -F _pianola pianola\n";
}

std::string zsh_completion(const CLI::App& app) {
    const Cases cases = cases_of(app, "compadd -- {}; return", "_files; return");
    return "#compdef pianola\n# Completion of pianola in zsh; made by `pianola completion zsh`.\n"
           "_pianola() {\n"
           "    local command=pianola words_of=\"\" files=0 i\n"
           "    local before=${words[CURRENT - 1]} current=${words[CURRENT]}\n"
           "    for ((i = 2; i < CURRENT; ++i)); do\n"
           "        case \"$command ${words[i]}\" in\n        " +
           cases.paths +
           ") command=\"$command ${words[i]}\" ;;\n        esac\n    done\n"
           "    case \"$command $before\" in\n" +
           cases.values + "    esac\n    local -a all\n    case \"$command\" in\n" +
           [&cases] {
               // `words` is zsh's own.
               std::string text = cases.words;
               for (std::size_t at = text.find(" words="); at != std::string::npos;
                    at = text.find(" words=", at + 1U)) {
                   text.replace(at, 7U, " words_of=");
               }
               return text;
           }() +
           "    esac\n"
           "    if [[ $files = 1 && $current != -* ]]; then\n"
           "        _files\n"
           "    else\n"
           "        all=(${=words_of})\n"
           "        compadd -a all\n"
           "    fi\n"
           "}\n"
           "if [[ $funcstack[1] = _pianola ]]; then _pianola \"$@\"; else compdef _pianola pianola; fi\n";
}

// Excludes the place after another command that has a sub-command of the same name: `diff` after `log`.
std::string without_those_below(const CLI::App& app, const std::string& name) {
    std::string condition;
    for (const CLI::App* const other : app.get_subcommands([](const CLI::App* /*each*/) { return true; })) {
        const bool has_same =
            !other->get_subcommands([&name](const CLI::App* each) { return each->get_name() == name; }).empty();
        condition += has_same ? ("; and not __fish_seen_subcommand_from " + other->get_name()) : std::string{};
    }
    return condition;
}

std::string fish_completion(const CLI::App& app) {
    std::string text = "# Completion of pianola in fish; made by `pianola completion fish`.\ncomplete -c pianola -f\n";
    for (const Command& command : all_commands(app)) {
        // "pianola log show" holds after `log` and `show`, before any further sub-command.
        const std::size_t space = command.path.find(' ');
        std::string condition = (space == std::string::npos) ? "__fish_use_subcommand" : "";
        std::string rest = (space == std::string::npos) ? "" : command.path.substr(space + 1U) + " ";
        const bool is_outermost = std::count(rest.begin(), rest.end(), ' ') == 1;
        for (std::size_t end = rest.find(' '); end != std::string::npos; end = rest.find(' ')) {
            condition += fmt::format("{}__fish_seen_subcommand_from {}", condition.empty() ? "" : "; and ",
                                     rest.substr(0U, end));
            rest = rest.substr(end + 1U);
        }
        std::string below;
        for (const CLI::App* const each : command.below) {
            below += " " + each->get_name();
        }
        if ((space != std::string::npos) && !below.empty()) {
            condition += "; and not __fish_seen_subcommand_from" + below;
        }
        if (is_outermost) {
            condition += without_those_below(app, command.app->get_name());
        }
        for (const CLI::App* const each : command.below) {
            text += fmt::format("complete -c pianola -n '{}' -a {} -d '{}'\n", condition, each->get_name(),
                                plain(each->get_description()));
        }
        for (const CLI::Option* const option : command.app->get_options()) {
            const Value value = value_of(*option);
            std::string line = fmt::format("complete -c pianola -n '{}'", condition);
            for (const std::string& name : option->get_lnames()) {
                line += " -l " + name;
            }
            for (const std::string& name : option->get_snames()) {
                line += " -s " + name;
            }
            if (option->get_positional()) {
                text +=
                    value.is_file ? (line + " -F\n") : (line + fmt::format(" -a '{}'\n", fmt::join(value.words, " ")));
                continue;
            }
            if (!value.words.empty()) {
                line += fmt::format(" -x -a '{}'", fmt::join(value.words, " "));
            } else if (value.is_file) {
                line += " -r -F";
            } else if (!option->get_type_name().empty()) {
                line += " -x";
            } else {
                // A flag.
            }
            text += line + fmt::format(" -d '{}'\n", plain(option->get_description()));
        }
    }
    return text;
}

}  // namespace

void add_completion(CLI::App& app, Action& action) {
    auto shell = std::make_shared<std::string>();
    CLI::App* const command =
        app.add_subcommand("completion", "Prints what a shell needs to complete commands, options and values");
    command->footer(
        "Examples:\n"
        "  pianola completion bash > ~/.local/share/bash-completion/completions/pianola\n"
        "  pianola completion zsh > ~/.zfunc/_pianola          ~/.zfunc in $fpath before compinit\n"
        "  pianola completion fish > ~/.config/fish/completions/pianola.fish\n\n"
        "An installed pianola brings the files along.");
    command->add_option("shell", *shell, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    command->callback([&app, &action, shell] {
        action = [&app, shell] {
            const std::string text = (*shell == "bash")  ? bash_completion(app)
                                     : (*shell == "zsh") ? zsh_completion(app)
                                                         : fish_completion(app);
            (void)std::fputs(text.c_str(), stdout);
            return kDone;
        };
    });
}

}  // namespace pianola::cli
