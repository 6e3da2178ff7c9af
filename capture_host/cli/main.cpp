#include <fmt/format.h>

#include <cstdio>

#include "capture_host/cli/cli.h"

namespace {

using pianola::cli::ExitCode;

constexpr const char* kFooter =
    "Exit codes: 0 done, 2 usage, 3 refused by the validator, 4 fault while replaying,\n"
    "5 not a valid or not a supported model, 6 file can not be read or written, 7 logs are different, or a mutant\n"
    "is not refused as expected, 1 defect in pianola.\n\n"
    "Example:\n"
    "  pianola capture model.tflite -o model.ptb\n"
    "  pianola verify model.ptb\n"
    "  pianola inspect model.ptb --commands\n"
    "  pianola run model.ptb --input image.bin --output scores.bin\n"
    "  pianola size model.ptb\n"
    "  pianola embed model.ptb -o model.c --header model.h\n"
    "  pianola timeline model.ptb -o model.html\n"
    "  pianola mutate model.ptb -o model.mutants";

int run(int argc, char** argv) {
    CLI::App app{"Captures a static workload into a verified trace binary, and replays it.", "pianola"};
    app.footer(kFooter);
    app.set_version_flag("--version", "pianola " PIANOLA_VERSION);
    app.require_subcommand(1);
    pianola::cli::Action action;
    pianola::cli::add_capture(app, action);
    pianola::cli::add_verify(app, action);
    pianola::cli::add_inspect(app, action);
    pianola::cli::add_run(app, action);
    pianola::cli::add_embed(app, action);
    pianola::cli::add_size(app, action);
    pianola::cli::add_log(app, action);
    pianola::cli::add_timeline(app, action);
    pianola::cli::add_mutate(app, action);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        const bool asked_for_help = error.get_exit_code() == 0;
        (void)app.exit(error);
        return asked_for_help ? ExitCode::kDone : ExitCode::kUsage;
    }
    return action();
}

int complain_about_output() {
    fmt::print(stderr, "pianola: can not write to standard output\n");
    return ExitCode::kFileTrouble;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const int code = run(argc, argv);
        // Results that do not reach their reader are not done.
        if ((std::fflush(stdout) != 0) || (std::ferror(stdout) != 0)) {
            return complain_about_output();
        }
        return code;
    } catch (const pianola::cli::CliError& error) {
        fmt::print(stderr, "pianola: {}\n", error.what());
        return error.code();
    } catch (const pianola::files::FileError& error) {
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
