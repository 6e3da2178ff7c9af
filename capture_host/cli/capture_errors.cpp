#include "capture_host/cli/capture_errors.h"

#include <fmt/format.h>

#include "capture_host/capture/lowering/lowerings.h"
#include "capture_host/cli/cli.h"
#include "capture_host/cli/operator_report.h"
#include "capture_host/tflite/import.h"

namespace pianola::cli {

const char* size_option(const std::string& member) {
    if (member == "dram_bytes") {
        return "--dram";
    }
    return (member == "l1_bytes") ? "--l1" : "--trace-region";
}

capture::Capture capture_or_complain(const std::string& model, const std::function<capture::Capture()>& capture) {
    try {
        return capture();
    } catch (const tflite::ImportError& error) {
        throw unsupported(model, error);
    } catch (const targets::LoweringError& error) {
        throw CliError{kUnsupportedModel, fmt::format("{}: {}", files::readable(model), error.what())};
    } catch (const capture::DeadlineError& error) {
        const char* const option = (error.script() == ScriptKind::kSetup) ? "--setup-deadline-us" : "--deadline-us";
        throw CliError{kUsage, fmt::format("{}: {}: {}", option, files::readable(model), error.what())};
    } catch (const capture::MemoryError& error) {
        const std::string member = error.member();
        const std::string remedy = (member == "file_bytes") ? "describe a device with file_bytes"
                                                            : fmt::format("pass {}", size_option(member));
        throw CliError{kUnsupportedModel, fmt::format("{}: {}", files::readable(model), error.what()),
                       fmt::format("{} {}, or choose a smaller model", remedy, error.needed_bytes())};
    } catch (const capture::LinkError& error) {
        throw CliError{kUnsupportedModel, fmt::format("{}: {}", files::readable(model), error.what())};
    }
}

}  // namespace pianola::cli
