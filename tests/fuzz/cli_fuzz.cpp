// Fuzzer of the command line, in process. An input is text: one argument per line up to a line "---", behind it the
// device description spec.json. Every run ends with a documented exit code that is not that of a defect, and leaves no
// exception.
//
// The run happens in a folder of its own, which holds a model, binaries, tensors and logs; '/' becomes '_', so that no
// argument leads out of it, no program is found in the PATH, and numbers and memories are cut to what takes little
// time.
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "capture_host/cli/cli.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/sandbox.h"
#include "tests/fuzz/seeds.h"
#include "tests/fuzz/silence.h"
#include "tests/hostile/target.h"

namespace pianola::fuzz {
namespace {

constexpr std::size_t kMaxArguments = 24U;
constexpr std::size_t kMaxDigits = 3U;  // of a number among the arguments: repeats and steps cost time
constexpr std::uint64_t kMaxMemoryBytes = 8U << 20U;
constexpr const char* kDeviceFile = "spec.json";

struct CommandLine {
    std::vector<std::string> arguments;
    std::string device;
};

[[nodiscard]] bool is_digit(char each) {
    return (each >= '0') && (each <= '9');
}

std::string tame(std::string_view argument) {
    std::string tamed;
    std::size_t digits = 0U;
    for (const char each : argument) {
        digits = is_digit(each) ? (digits + 1U) : 0U;
        if ((each != '\0') && (digits <= kMaxDigits)) {
            tamed += (each == '/') ? '_' : each;
        }
    }
    return tamed;
}

// A device of gigabytes is a device, but takes long to simulate.
std::string tame_device(const std::string& text) {
    nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object()) {
        return text;
    }
    bool tamed = false;
    for (const char* const name : {"dram_bytes", "l1_bytes"}) {
        const auto found = json.find(name);
        if ((found != json.end()) && found->is_number_unsigned() && (found->get<std::uint64_t>() > kMaxMemoryBytes)) {
            *found = found->get<std::uint64_t>() % kMaxMemoryBytes;
            tamed = true;
        }
    }
    return tamed ? json.dump() : text;
}

CommandLine parse(ByteSpan input) {
    const std::string text{input.begin(), input.end()};
    CommandLine line;
    std::size_t at = 0U;
    while (at < text.size()) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view one = std::string_view{text}.substr(at, end - at);
        at = end + 1U;
        if (one == "---") {
            line.device = (at < text.size()) ? tame_device(text.substr(at)) : std::string{};
            break;
        }
        if (line.arguments.size() < kMaxArguments) {
            line.arguments.push_back(tame(one));
        }
    }
    return line;
}

Sandbox& sandbox() {
    static Sandbox sandbox;
    static const bool kIsFilled = [] {
        for (const Seed& seed : command_line_files()) {
            sandbox.add(seed.name, seed.contents);
        }
        return true;
    }();
    (void)kIsFilled;
    return sandbox;
}

}  // namespace

void run_one(ByteSpan input) {
    Sandbox& folder = sandbox();
    const CommandLine line = parse(input);
    std::ofstream{kDeviceFile, std::ios::binary} << line.device;
    std::vector<const char*> arguments{"pianola"};
    for (const std::string& argument : line.arguments) {
        arguments.push_back(argument.c_str());
    }
    int code = 0;
    {
        const Silence silence;
        code = cli::run_pianola(static_cast<int>(arguments.size()), arguments.data());
    }
    folder.restore();
    test::require((code == cli::kDone) || ((code >= cli::kUsage) && (code <= cli::kDifferent)),
                  "the exit code is documented, and not that of a defect: " + std::to_string(code));
}

void mutate(Bytes& input, std::size_t max_bytes, test::Random& random) {
    if (!random.one_in(3U)) {
        mutate_bytes(input, max_bytes, random);
        return;
    }
    // A line of its own for an argument that somebody knows.
    static const std::vector<std::string> kWords = command_line_words();
    const std::string line = kWords.at(random.below(static_cast<std::uint32_t>(kWords.size()))) + "\n";
    std::vector<std::size_t> starts{0U};
    for (std::size_t i = 0U; i < input.size(); ++i) {
        if (input[i] == static_cast<std::uint8_t>('\n')) {
            starts.push_back(i + 1U);
        }
    }
    const std::size_t at = starts.at(random.below(static_cast<std::uint32_t>(starts.size())));
    const auto place = input.begin() + static_cast<std::ptrdiff_t>(at);
    if (random.one_in(2U) && (at < input.size())) {
        const auto end = std::find(place, input.end(), static_cast<std::uint8_t>('\n'));
        input.erase(place, (end == input.end()) ? end : (end + 1));
    }
    input.insert(input.begin() + static_cast<std::ptrdiff_t>(at), line.begin(), line.end());
}

}  // namespace pianola::fuzz
