#include "tests/cli/all_commands.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>

#include "capture_host/binary/signing.h"
#include "capture_host/cli/options.h"
#include "pianola_host/files.h"
#include "tests/fuzz/seeds.h"

namespace pianola::test {
namespace {

std::string name_of(const CLI::Option& option) {
    return option.get_name();
}

void add_leaves(const CLI::App& app, const std::vector<std::string>& words, std::vector<CommandUnderTest>& commands) {
    const std::vector<const CLI::App*> below = app.get_subcommands([](const CLI::App*) { return true; });
    for (const CLI::App* const each : below) {
        std::vector<std::string> longer = words;
        longer.push_back(each->get_name());
        add_leaves(*each, longer, commands);
    }
    if (!below.empty()) {
        return;
    }
    CommandUnderTest command;
    command.words = words;
    for (const CLI::Option* const option : app.get_options()) {
        if (name_of(*option) != "--help") {
            command.options.push_back({name_of(*option), option->get_type_name(), option->get_positional(),
                                       option->get_required(), option->get_type_name().empty(),
                                       option->get_type_size()});
        }
    }
    commands.push_back(command);
}

// By command and option, or by option alone where it means the same to every command.
const std::map<std::string, std::string>& good_values() {
    static const std::map<std::string, std::string> kValues{
        {"model", "good.tflite"},
        {"file", "good.ptb"},
        {"log show file", "good.log"},
        {"log diff left", "good.log"},
        {"log diff right", "other.log"},
        {"receipt check receipt", "good.receipt"},
        {"receipt check --binary", "good.ptb"},
        {"sign --signature-in", "good.signature"},
        {"sign file", "prepared.ptb"},
        {"key", "good.pem"},
        {"before", "good.ptb"},
        {"after", "prepared.ptb"},
        {"shell", "bash"},
        {"--key", "good.pem"},
        {"--public", "good.pem"},
        {"--revoked", "other.pem"},
        {"--receipt-key", "other.pem"},
        {"--device", "good.json"},
        {"--plugin", "good_plugin"},
        {"--input", "good.bin"},
        {"--expect", "good.bin"},
        {"--merge", "good_report.json"},
        {"--against", "good.tflite"},
        {"--compiler", "good_compiler"},
        {"--measured", "good.json"},
        {"--from-log", "good.log"},
        {"--images", "good.json"},
        {"--board", "board"},
        {"--order-out", "new.order"},
        {"--rom", "new.cpp"},

        {"--output", "new.c"},
        {"timeline --output", "new.svg"},
        {"--header", "new.h"},
        {"--log", "new.log"},
        {"--digest-out", "new.digest"},
        {"--receipt", "new.receipt"},
        {"--symbol", "name"},
        {"--section", ".rodata.name"},
        {"--shard", "1/2"},
        {"--compiler-flag", "-g"},
    };
    return kValues;
}

// What makes a call whole besides what the parser calls required: one of them for each command that has several forms.
const std::map<std::string, std::vector<std::string>>& forms() {
    static const std::map<std::string, std::vector<std::string>> kForms{
        {"measure", {"--from-log", "--board"}},
        {"capture", {"model --output"}},
        {"sign", {"--key", "--public --signature-in", "--public --digest-out"}},
        {"verify", {"--receipt --receipt-key"}},
        {"mutate", {"file --output", "--merge --output", "--merge"}},
        {"run", {"--input --output"}},
        {"embed", {"", "--compiler"}},
    };
    return kForms;
}

bool is_accepted(const std::vector<std::string>& arguments) {
    CLI::App app;
    app.require_subcommand(1);
    cli::Action action;
    cli::add_commands(app, action);
    try {
        std::vector<std::string> reversed{arguments.rbegin(), arguments.rend()};
        app.parse(reversed);
        return true;
    } catch (const CLI::ParseError&) {
        return false;
    }
}

const OptionUnderTest* find(const CommandUnderTest& command, const std::string& name) {
    const auto found = std::find_if(command.options.begin(), command.options.end(),
                                    [&](const OptionUnderTest& each) { return each.name == name; });
    return (found == command.options.end()) ? nullptr : &*found;
}

}  // namespace

std::string CommandUnderTest::name() const {
    std::string text;
    for (const std::string& word : words) {
        text += (text.empty() ? "" : " ") + word;
    }
    return text;
}

std::vector<OptionUnderTest> CommandUnderTest::options_of(const std::vector<std::string>& types) const {
    std::vector<OptionUnderTest> found;
    std::copy_if(options.begin(), options.end(), std::back_inserter(found), [&](const OptionUnderTest& each) {
        return std::find(types.begin(), types.end(), each.type) != types.end();
    });
    return found;
}

std::vector<CommandUnderTest> all_commands() {
    CLI::App app;
    cli::Action action;
    cli::add_commands(app, action);
    std::vector<CommandUnderTest> commands;
    add_leaves(app, {}, commands);
    return commands;
}

std::vector<std::string> types_that_are_read() {
    return {cli::kReads, cli::kReadsMany, cli::kReadsJson, cli::kRuns};
}

Folder::Folder() : before_{std::filesystem::current_path()} {
    std::string name = (std::filesystem::temp_directory_path() / "pianola-cli-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
        throw std::runtime_error{"can not make a temporary folder: " + name};
    }
    path_ = std::filesystem::canonical(name);
    std::filesystem::current_path(path_);
}

Folder::~Folder() {
    std::error_code ignored;
    std::filesystem::current_path(before_, ignored);
    (void)std::filesystem::remove_all(path_, ignored);
}

std::vector<std::string> Folder::names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator{path_}) {
        found.push_back(entry.path().filename().string());
    }
    std::sort(found.begin(), found.end());
    return found;
}

void make_good_files() {
    std::map<std::string, std::vector<std::uint8_t>> seeds;
    for (const fuzz::Seed& seed : fuzz::command_line_files()) {
        seeds[seed.name] = seed.contents;
    }
    for (const fuzz::Seed& seed : fuzz::importer_seeds()) {
        files::store_file("good.tflite", seed.contents);
        if (call({"capture", "good.tflite", "-o", "tried.ptb"}).code == cli::kDone) {
            break;
        }
    }
    std::filesystem::remove("tried.ptb");
    files::store_file("good.ptb", seeds.at("default.ptb"));
    files::store_file("good.bin", seeds.at("input.bin"));
    files::store_file("good.json", std::string_view{"{\"queue_count\": 2}"});
    files::store_file("good_plugin", files::load_file(PIANOLA_TEST_PLUGIN));
    files::store_file("good_compiler", std::string_view{"#!/bin/sh\nexit 1\n"});
    const signing::Key key = signing::Key::generate(signing::KeyKind::kP256);
    files::store_file("good.pem", key.private_pem());
    files::store_file("other.pem", signing::Key::generate(signing::KeyKind::kP256).private_pem());
    files::store_file("good.signature",
                      std::string_view{"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"});
    const auto make = [](const std::vector<std::string>& arguments) {
        const Outcome outcome = call(arguments);
        if (outcome.code != cli::kDone) {
            throw std::runtime_error{"a good file can not be made: " + outcome.complaint};
        }
    };
    make({"sign", "good.ptb", "--public", "good.pem", "--digest-out", "digest", "-o", "prepared.ptb"});
    make({"run", "good.ptb", "--input", "good.bin", "--output", "output", "--log", "good.log"});
    std::filesystem::copy_file("good.log", "other.log");
    make({"verify", "good.ptb", "--receipt", "good.receipt", "--receipt-key", "good.pem"});
    make({"mutate", "good.ptb", "-o", "made", "--kind", "truncation", "--count", "1"});
    std::filesystem::rename("made/mutants.json", "good_report.json");
    std::filesystem::remove_all("made");
}

std::string good_value(const CommandUnderTest& command, const OptionUnderTest& option) {
    const auto& values = good_values();
    const auto own = values.find(command.name() + " " + option.name);
    const auto general = values.find(option.name);
    if ((own == values.end()) && (general == values.end())) {
        throw std::runtime_error{"tests/cli/all_commands.cpp knows no good value for " + option.name + " of " +
                                 command.name()};
    }
    return (own == values.end()) ? general->second : own->second;
}

std::vector<std::string> arguments_for(const CommandUnderTest& command, const std::vector<Given>& given) {
    std::vector<Given> all = given;
    for (const OptionUnderTest& option : command.options) {
        const bool is_given =
            std::any_of(given.begin(), given.end(), [&](const Given& each) { return each.option == option.name; });
        if (option.is_required && !is_given) {
            all.push_back({option.name, good_value(command, option)});
        }
    }
    // Of these, one is required.
    const auto is_rom_or_output = [](const Given& each) {
        return (each.option == "--output") || (each.option == "--rom");
    };
    if ((command.name() == "embed") && std::none_of(all.begin(), all.end(), is_rom_or_output)) {
        all.push_back({"--output", "new.c"});
    }
    const auto is_source = [](const Given& each) {
        return (each.option == "--board") || (each.option == "--from-log");
    };
    if ((command.name() == "measure") && std::none_of(all.begin(), all.end(), is_source)) {
        all.push_back({"--from-log", "good.log"});
    }
    // In the order of the parser's list, in front of options that would take them as their own.
    std::vector<std::string> arguments = command.words;
    for (const OptionUnderTest& option : command.options) {
        for (const Given& each : all) {
            if (option.is_positional && (each.option == option.name)) {
                arguments.push_back(each.value);
            }
        }
    }
    for (const Given& each : all) {
        const OptionUnderTest& option = *find(command, each.option);
        if (!option.is_positional) {
            // Otherwise an option that takes several would take what follows; nothing behind '=' counts as left out.
            if (each.value.empty()) {
                arguments.insert(arguments.end(), {each.option, each.value});
            } else {
                arguments.push_back(each.option + "=" + each.value);
            }
            for (int more = 1; more < option.values; ++more) {
                arguments.push_back(good_value(command, option));
            }
        }
    }
    return arguments;
}

std::vector<std::string> complete(const CommandUnderTest& command, const std::vector<Given>& given) {
    std::vector<std::string> candidates{""};
    if (forms().count(command.name()) != 0U) {
        const auto& more = forms().at(command.name());
        candidates.insert(candidates.begin(), more.begin(), more.end());
    }
    for (const std::string& candidate : candidates) {
        std::vector<Given> all = given;
        std::istringstream names{candidate};
        for (std::string name; names >> name;) {
            const bool is_given =
                std::any_of(given.begin(), given.end(), [&](const Given& each) { return each.option == name; });
            if (!is_given) {
                all.push_back({name, good_value(command, *find(command, name))});
            }
        }
        const std::vector<std::string> arguments = arguments_for(command, all);
        if (is_accepted(arguments)) {
            return arguments;
        }
    }
    return {};
}

Outcome call(const std::vector<std::string>& arguments) {
    std::vector<const char*> pointers{"pianola"};
    for (const std::string& argument : arguments) {
        pointers.push_back(argument.c_str());
    }
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Outcome outcome;
    outcome.code = cli::run_pianola(static_cast<int>(pointers.size()), pointers.data());
    outcome.complaint = testing::internal::GetCapturedStderr();
    (void)testing::internal::GetCapturedStdout();
    return outcome;
}

std::string contents_of(const std::filesystem::path& path) {
    const std::vector<std::uint8_t> bytes = files::load_file(path, std::uint64_t{1U} << 30U);
    return {bytes.begin(), bytes.end()};
}

}  // namespace pianola::test
