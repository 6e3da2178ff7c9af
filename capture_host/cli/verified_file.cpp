#include "capture_host/cli/verified_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "capture_host/cli/cli.h"
#include "capture_host/writer/verify.h"
#include "hal/refdev/refdev_command_set.h"
#include "runtime/session/development_config.h"

namespace pianola::cli {
namespace {

// Of the C locale, whatever the user's is.
constexpr bool is_letter(char each) {
    return ((each >= 'a') && (each <= 'z')) || ((each >= 'A') && (each <= 'Z'));
}
constexpr bool belongs_in_symbol(char each) {
    return is_letter(each) || ((each >= '0') && (each <= '9')) || (each == '_');
}

}  // namespace

VerifiedFile::VerifiedFile(const std::string& file_name, const refdev::DeviceSpec& spec)
    : bytes_{files::load_file(file_name)}, workspace_{std::make_unique<PlanWorkspace>()} {
    DeviceDescription device;
    refdev::describe(spec, device);
    Verdict verdict;
    if (!is_ok(capture::verify(bytes_.view(), device, refdev::RefdevCommandSet{}, kDevelopmentTrust, *workspace_,
                               image_, plan_, verdict))) {
        throw CliError{kRefused, fmt::format("{}: {}", file_name, describe_verdict(verdict, image_))};
    }
}

std::string symbol_for(const std::string& file_name) {
    std::string symbol = std::filesystem::path{file_name}.stem().string();
    std::replace_if(symbol.begin(), symbol.end(), [](char each) { return !belongs_in_symbol(each); }, '_');
    return (symbol.empty() || !is_letter(symbol.front())) ? ("binary_" + symbol) : symbol;
}

CLI::Option* add_symbol_option(CLI::App& command, std::string& symbol, const std::string& description) {
    return command.add_option("--symbol", symbol, description)
        ->check([](const std::string& text) {
            const bool is_identifier = !text.empty() && (is_letter(text.front()) || (text.front() == '_')) &&
                                       std::all_of(text.begin(), text.end(), belongs_in_symbol);
            return is_identifier ? std::string{} : ("'" + text + "' is not a C identifier");
        })
        ->type_name(kSaysName);
}

std::string printable_base_name(const std::string& file_name) {
    const std::string name = std::filesystem::path{file_name}.filename().string();
    const bool is_plain = std::all_of(name.begin(), name.end(), [](char each) {
        return (each >= ' ') && (each <= '~') && (each != '"') && (each != '\\') && (each != '*');
    });
    if (!is_plain) {
        throw CliError{kUsage, fmt::format("{}: a file of this name can not be named in a source", file_name)};
    }
    return name;
}

void write_result(const std::string& file_name, const std::string& contents) {
    if (file_name.empty()) {
        fmt::print("{}", contents);
    } else {
        files::store_file(file_name, contents);
    }
}

}  // namespace pianola::cli
