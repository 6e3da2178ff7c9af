#include "capture_host/cli/measured_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "capture_host/base/json.h"
#include "capture_host/binary/openssl_digest.h"
#include "capture_host/cli/cli.h"
#include "capture_host/cli/options.h"

namespace pianola::cli {

namespace {

[[noreturn]] void refuse(const std::string& file_name) {
    throw CliError{kFileTrouble,
                   fmt::format("--measured {}: not what `pianola measure --json` prints", files::readable(file_name)),
                   "write it with `pianola measure FILE --board NAME --json`"};
}

}  // namespace

void add_measured_option(CLI::App& command, std::string& file_name) {
    add_text(command, "--measured", file_name, kReadsJson,
             "What `pianola measure --json` has printed of this binary: shows each operation's count on a board");
}

MeasuredFile load_measured(const std::string& file_name, const VerifiedFile& binary) {
    MeasuredFile measured;
    if (file_name.empty()) {
        return measured;
    }
    const std::vector<std::uint8_t> bytes = files::load_file(file_name, files::kLimitBytes);
    std::string sha256_text;
    try {
        const nlohmann::json json = files::parse_json(bytes);
        sha256_text = json.at("sha256").get<std::string>();
        measured.board = json.at("board").get<std::string>();
        measured.counter = json.at("counter").get<std::string>();
        for (const nlohmann::json& layer : json.at("layers")) {
            measured.layers[layer.at("operation").get<std::uint32_t>()] = layer.at("count").get<std::uint64_t>();
        }
    } catch (const nlohmann::json::exception&) {
        refuse(file_name);
    } catch (const files::JsonError& error) {
        throw CliError{kFileTrouble, fmt::format("--measured {}: {}", files::readable(file_name), error.what())};
    }
    if (sha256_text != to_hex(ByteSpan{signing::openssl_sha256(binary.bytes())})) {
        throw CliError{kUsage, fmt::format("--measured {}: is of another binary", files::readable(file_name)),
                       "measure this binary: a model is captured anew, for the board"};
    }
    return measured;
}

}  // namespace pianola::cli
