#include <fmt/format.h>

#include <cstdio>

#include "capture_host/cli/cli.h"
#include "capture_host/signing/keys.h"

namespace pianola::cli {
namespace {

constexpr const char* kFooter =
    "Exit codes: 0 done, 2 usage, 3 refused by the validator, or a signature or receipt that does not hold,\n"
    "4 fault while replaying, 5 not a valid or not a supported model, 6 file can not be read or written, 7 logs are "
    "different,\n"
    "a binary computes something else than expected or than the model, or a mutant is not refused as expected,\n"
    "1 defect in pianola.\n\n"
    "Example:\n"
    "  pianola capture model.tflite -o model.ptb\n"
    "  pianola verify model.ptb\n"
    "  pianola inspect model.ptb --commands\n"
    "  pianola run model.ptb --input image.bin --output scores.bin\n"
    "  pianola size model.ptb\n"
    "  pianola embed model.ptb -o model.c --header model.h\n"
    "  pianola timeline model.ptb -o model.html\n"
    "  pianola perf model.ptb\n"
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

int parse_and_act(int argc, const char* const* argv) {
    CLI::App app{"Captures a static workload into a verified trace binary, and replays it.", "pianola"};
    app.footer(kFooter);
    app.set_version_flag("--version", "pianola " PIANOLA_VERSION);
    app.require_subcommand(1);
    Action action;
    add_commands(app, action);
    try {
        app.parse(argc, argv);
    } catch (const CLI::RequiredError& error) {
        // The parser misses a sub-command, and does not say what stands in its place.
        const CLI::App& command = chosen(app);
        const std::vector<std::string> rest = command.remaining();
        if (rest.empty() || command.get_subcommands([](const CLI::App* /*each*/) { return true; }).empty()) {
            (void)app.exit(error);
        } else {
            const std::string name = (&command == &app) ? "pianola" : ("pianola " + command.get_name());
            fmt::print(stderr, "{} has no command '{}'\nRun with --help for more information.\n", name, rest.front());
        }
        return ExitCode::kUsage;
    } catch (const CLI::ParseError& error) {
        const bool asked_for_help = error.get_exit_code() == 0;
        (void)app.exit(error);
        return asked_for_help ? ExitCode::kDone : ExitCode::kUsage;
    }
    check_values(chosen(app));
    return action();
}

int complain_about_output() {
    fmt::print(stderr, "pianola: can not write to standard output\n");
    return ExitCode::kFileTrouble;
}

struct NamedFile {
    std::string what;  // the option
    std::string name;
};

void refuse_same(const NamedFile& output, const NamedFile& other, const char* use) {
    if (files::is_same_file(output.name, other.name)) {
        throw CliError{kUsage, fmt::format("{} {}: would be written over {} {}, which the command {}", output.what,
                                           output.name, other.what, other.name, use)};
    }
}

}  // namespace

void add_commands(CLI::App& app, Action& action) {
    add_capture(app, action);
    add_verify(app, action);
    add_inspect(app, action);
    add_run(app, action);
    add_devices(app, action);
    add_embed(app, action);
    add_size(app, action);
    add_log(app, action);
    add_timeline(app, action);
    add_perf(app, action);
    add_keygen(app, action);
    add_pubkey(app, action);
    add_sign(app, action);
    add_receipt(app, action);
    add_mutate(app, action);
    add_decompile(app, action);
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
            } else if ((type == kReads) || (type == kReadsJson) || (type == kRuns)) {
                inputs.push_back({option->get_name(), value});
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
        const int code = parse_and_act(argc, argv);
        // Results that do not reach their reader are not done.
        if ((std::fflush(stdout) != 0) || (std::ferror(stdout) != 0)) {
            return complain_about_output();
        }
        return code;
    } catch (const CliError& error) {
        fmt::print(stderr, "pianola: {}\n", error.what());
        return error.code();
    } catch (const signing::SigningError& error) {
        fmt::print(stderr, "pianola: {}\n", error.what());
        return ExitCode::kFileTrouble;
    } catch (const files::FileError& error) {
        fmt::print(stderr, "pianola: {}\n", error.what());
        return ExitCode::kFileTrouble;
    } catch (const std::exception& error) {
        if (std::ferror(stdout) != 0) {  // fmt::print() throws where its bytes do not fit the buffer
            return complain_about_output();
        }
        fmt::print(stderr, "pianola: internal error: {}\n", error.what());
        return ExitCode::kInternalError;
    }
}

}  // namespace pianola::cli
