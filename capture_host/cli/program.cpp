#include <fmt/format.h>

#include <cstdio>

#include "capture_host/cli/cli.h"
#include "capture_host/signing/keys.h"

namespace pianola::cli {
namespace {

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
    "  pianola keygen -o private.pem\n"
    "  pianola sign model.ptb --key private.pem -o signed.ptb\n"
    "  pianola verify signed.ptb --key private.pem\n"
    "  pianola mutate model.ptb -o model.mutants";

int parse_and_act(int argc, const char* const* argv) {
    CLI::App app{"Captures a static workload into a verified trace binary, and replays it.", "pianola"};
    app.footer(kFooter);
    app.set_version_flag("--version", "pianola " PIANOLA_VERSION);
    app.require_subcommand(1);
    Action action;
    add_capture(app, action);
    add_verify(app, action);
    add_inspect(app, action);
    add_run(app, action);
    add_embed(app, action);
    add_size(app, action);
    add_log(app, action);
    add_timeline(app, action);
    add_keygen(app, action);
    add_pubkey(app, action);
    add_sign(app, action);
    add_receipt(app, action);
    add_mutate(app, action);
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
