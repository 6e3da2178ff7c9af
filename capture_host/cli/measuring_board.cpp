#include "capture_host/cli/measuring_board.h"

#include <fmt/format.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <system_error>

#include "capture_host/base/json.h"
#include "capture_host/cli/cli.h"
#include "capture_host/cli/core_options.h"
#include "pianola/config.h"
#include "pianola_host/files.h"

namespace pianola::cli {
namespace {

// As hal/measure/order.h has them; docs/guide/measure.md.
constexpr std::uint32_t kMagic = 0x5253'4D50U;
constexpr std::uint32_t kVersion = 1U;
constexpr std::uint32_t kCountedOutside = 1U;
constexpr std::uint32_t kTransfers = 2U;
constexpr std::uint32_t kByteBits = 8U;

constexpr std::uint64_t kLogLimitBytes = 64U << 20U;
constexpr const char* kCounter = "instruction_counter.so";
constexpr const char* kOrderFile = "order.bin";
constexpr const char* kSetupFile = "setup.txt";
constexpr const char* kCountsFile = "counts.txt";
constexpr const char* kLogFile = "log.txt";

void add_aligned(std::vector<std::uint8_t>& to, ByteSpan bytes) {
    to.insert(to.end(), bytes.begin(), bytes.end());
    to.resize(((to.size() + (kFileAlignmentBytes - 1U)) / kFileAlignmentBytes) * kFileAlignmentBytes);
}

// The parts of QEMU's options are separated by commas, of which two stand for one.
std::string quoted(const std::string& text) {
    std::string result;
    for (const char letter : text) {
        result.append((letter == ',') ? 2U : 1U, letter);
    }
    return result;
}

std::filesystem::path installed_folder() {
    std::error_code error;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    return program.parent_path().parent_path() / "lib" / "pianola" / "measure";
}

std::string folder_of(const std::string& board, const std::string& images) {
    const std::filesystem::path root = images.empty() ? installed_folder() : std::filesystem::path{images};
    for (const std::filesystem::path& folder : {root / board, root}) {
        std::error_code ignored;
        if (std::filesystem::is_regular_file(folder / "measure.json", ignored)) {
            return folder.string();
        }
    }
    if (known_board(board) == nullptr) {
        throw CliError{
            kUsage,
            fmt::format("--board {}: is no board of this project with a measuring image, and {} has none",
                        files::readable(board), files::readable(root.string())),
            fmt::format("pass one of {}; for another board, --images with the folder of its image", board_names())};
    }
    throw CliError{
        kUsage,
        fmt::format("--board {}: no measuring image in {}", files::readable(board), files::readable(root.string())),
        fmt::format("build it with `cmake --preset {0} && cmake --build --preset {0} --target "
                    "pianola_measure` and pass --images build/{0}/measure/Release, or install the component "
                    "measure of that build",
                    files::readable(board))};
}

std::string text_of(const std::vector<std::uint8_t>& bytes) {
    return {bytes.begin(), bytes.end()};
}

std::vector<std::uint64_t> read_counts(const std::string& file) {
    std::istringstream lines{text_of(files::load_file(file, kLogLimitBytes))};
    std::vector<std::uint64_t> counts;
    std::string line;
    while (std::getline(lines, line)) {
        std::istringstream words{line};
        std::string word;
        std::uint64_t count = 0U;
        words >> word;
        if ((word == "part") || (word == "edge")) {
            words >> count;
            counts.push_back(count);
        } else if (word != "section") {
            throw CliError{kInternalError, "the instruction counter has lost its markers"};
        } else {
            // The sum of those before it.
        }
    }
    return counts;
}

}  // namespace

std::vector<std::uint8_t> order_bytes(const MeasureOrder& order, bool is_counted_outside) {
    std::vector<std::uint8_t> head;
    const auto add_word = [&head](std::uint64_t word) {
        for (std::uint32_t byte = 0U; byte < sizeof(std::uint32_t); ++byte) {
            head.push_back(static_cast<std::uint8_t>(word >> (byte * kByteBits)));
        }
    };
    for (const std::uint64_t word :
         {std::uint64_t{kMagic}, std::uint64_t{kVersion}, std::uint64_t{order.binary.size()},
          std::uint64_t{order.inputs.size()}, std::uint64_t{order.steps},
          std::uint64_t{(is_counted_outside ? kCountedOutside : 0U) | (order.transfers ? kTransfers : 0U)}}) {
        add_word(word);
    }
    std::vector<std::uint8_t> bytes;
    add_aligned(bytes, {head.data(), head.size()});
    add_aligned(bytes, order.binary);
    add_aligned(bytes, {order.inputs.data(), order.inputs.size()});
    return bytes;
}

MeasuringBoard::MeasuringBoard(const std::string& name, const std::string& images)
    : name_{name}, folder_{folder_of(name, images)} {
    const std::string file = folder_ + "/measure.json";
    try {
        facts_ = files::parse_json(files::load_file(file, files::kSmallLimitBytes));
    } catch (const files::JsonError& error) {
        throw files::FileError{fmt::format("{}: {}", files::readable(file), error.what())};
    }
    try {  // everything that is read later
        (void)setup_text();
        (void)pack();
        (void)facts_.at("emulator").get<std::vector<std::string>>();
        ram_ = {facts_.at("ram").at(0).get<std::uint64_t>(), facts_.at("ram").at(1).get<std::uint64_t>()};
    } catch (const nlohmann::json::exception&) {
        throw CliError{kFileTrouble, fmt::format("{}: does not describe a measuring image", files::readable(file))};
    }
    if (facts_.at("board") != name) {
        throw CliError{kUsage, fmt::format("--board {}: {} is the image of {}", files::readable(name),
                                           files::readable(folder_), facts_.at("board").dump())};
    }
}

std::string MeasuringBoard::setup_text() const {
    std::string text = fmt::format("core {}\nparts\n", facts_.at("core").get<std::uint32_t>());
    for (const auto& [marker, address] : facts_.at("markers").items()) {
        text += fmt::format("{} {:x}\n", marker, address.get<std::uint64_t>());
    }
    for (const nlohmann::json& range : facts_.at("skip")) {
        text += fmt::format("skip {:x} {:x}\n", range.at(0).get<std::uint64_t>(), range.at(1).get<std::uint64_t>());
    }
    return text;
}

std::vector<std::string> MeasuringBoard::command(const files::TemporaryFolder& folder, bool own_counter) const {
    std::vector<std::string> words;
    const std::string path = std::filesystem::absolute(folder_).string() + "/";
    for (std::string word : facts_.at("emulator").get<std::vector<std::string>>()) {
        const std::size_t at = word.find('@');
        if (at != std::string::npos) {
            word.replace(at, 1U, (word.find('=') < at) ? quoted(path) : path);
        }
        words.push_back(word);
    }
    words.emplace_back("-device");
    words.push_back(fmt::format("loader,file={},addr={:#x},force-raw=on", quoted(folder.file(kOrderFile)), ram_.first));
    if (!own_counter) {
        words.emplace_back("-plugin");
        words.push_back(fmt::format("{}{},setup={},result={}", quoted(path), kCounter, quoted(folder.file(kSetupFile)),
                                    quoted(folder.file(kCountsFile))));
    }
    return words;
}

MeasureRun MeasuringBoard::run(const MeasureOrder& order, bool own_counter, std::chrono::seconds limit,
                               const files::HeldSignals& held) const {
    const files::TemporaryFolder folder;
    const std::vector<std::uint8_t> bytes = order_bytes(order, !own_counter);
    if (bytes.size() > (ram_.second - ram_.first)) {
        throw CliError{kUnsupportedModel, fmt::format("binary and inputs take {} bytes; board {} has memory for {}",
                                                      bytes.size(), name_, ram_.second - ram_.first)};
    }
    files::store_file(folder.file(kOrderFile), bytes);
    files::store_file(folder.file(kSetupFile), setup_text());
    const std::vector<std::string> words = command(folder, own_counter);
    files::Ended ended;
    try {
        ended = files::run_program(words, folder.file(kLogFile), limit, held);
    } catch (const files::NotStarted& error) {
        throw CliError{kUsage, fmt::format("{}: can not be run: {}", words.front(), error.what()),
                       "install QEMU 7.2 or later for this processor (Debian: qemu-system-arm, or qemu-system-misc for "
                       "RISC-V), so that it is found in the PATH"};
    }
    MeasureRun done;
    done.log = text_of(files::load_file(folder.file(kLogFile), kLogLimitBytes));
    if (ended.is_late) {
        throw CliError{kReplayFault, fmt::format("{} has not ended within {} s", words.front(), limit.count()),
                       "pass a longer --timeout-s"};
    }
    std::error_code ignored;
    const bool has_counts = std::filesystem::is_regular_file(folder.file(kCountsFile), ignored);
    if (!own_counter && !has_counts) {
        throw CliError{kReplayFault,
                       fmt::format("{} ended with exit code {} and has not counted: {}", words.front(), ended.code,
                                   files::readable(done.log.substr(0U, done.log.find('\n')))),
                       "QEMU needs plugins: 7.2 or later, as Debian builds it"};
    }
    if (!own_counter) {
        done.counts = read_counts(folder.file(kCountsFile));
    }
    return done;
}

}  // namespace pianola::cli
