// Fuzzer of JSON that somebody else may have written. An input is a text.
//
// What the reader takes is no deeper than it says, and every member that the text names is there: brackets and colons
// outside strings are counted by a scanner of the fuzzer's own. What it refuses is no JSON, holds a NUL byte, is too
// deep, or loses a member. Everything that reads JSON then reads the text: receipts, also with the text as a statement
// that the right key has signed, reports, device descriptions; the command line ends with a documented exit code that
// is not that of a defect.
#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>

#include "capture_host/base/json.h"
#include "capture_host/binary/receipt.h"
#include "capture_host/cli/cli.h"
#include "capture_host/mutate/report.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/sandbox.h"
#include "tests/fuzz/seeds.h"
#include "tests/fuzz/silence.h"
#include "tests/hostile/target.h"

namespace pianola::fuzz {
namespace {

using nlohmann::json;

struct Counts {
    std::size_t depth{0U};
    std::size_t members{0U};

    friend bool operator==(const Counts& left, const Counts& right) {
        return (left.depth == right.depth) && (left.members == right.members);
    }
};

// Of a text that is JSON.
Counts count_text(std::string_view text) {
    Counts counts;
    std::size_t depth = 0U;
    bool in_string = false;
    for (std::size_t i = 0U; i < text.size(); ++i) {
        const char each = text[i];
        if (in_string) {
            i += (each == '\\') ? 1U : 0U;
            in_string = each != '"';
        } else if ((each == '[') || (each == '{')) {
            depth += 1U;
            counts.depth = std::max(counts.depth, depth);
        } else if ((each == ']') || (each == '}')) {
            depth -= 1U;
        } else {
            in_string = each == '"';
            counts.members += (each == ':') ? 1U : 0U;
        }
    }
    return counts;
}

// Without recursion: the value may be of any depth.
Counts count_value(const json& value) {
    struct Place {
        const json* value;
        std::size_t depth;
    };
    Counts counts;
    std::vector<Place> left{{&value, 0U}};
    while (!left.empty()) {
        const Place place = left.back();
        left.pop_back();
        const std::size_t depth = place.depth + (place.value->is_structured() ? 1U : 0U);
        counts.depth = std::max(counts.depth, depth);
        counts.members += place.value->is_object() ? place.value->size() : 0U;
        if (place.value->is_structured()) {
            for (const json& each : *place.value) {
                left.push_back({&each, depth});
            }
        }
    }
    return counts;
}

// Whether the reader must take the text. The library would take a NUL as the end of the text.
bool must_be_taken(const std::string& text) {
    const json value = json::parse(text, nullptr, false);
    return (text.find('\0') == std::string::npos) && !value.is_discarded() &&
           (count_text(text).depth <= static_cast<std::size_t>(files::kMaxJsonDepth)) &&
           (count_value(value) == count_text(text));
}

const signing::Key& key() {
    static const signing::Key kKey = signing::Key::generate(signing::KeyKind::kEd25519);
    return kKey;
}

void store(const char* name, const std::string& text) {
    std::ofstream{name, std::ios::binary} << text;
}

Sandbox& sandbox() {
    static Sandbox sandbox;
    static const bool kIsFilled = [] {
        for (const Seed& seed : command_line_files()) {
            if (seed.name == "default.ptb") {
                sandbox.add(seed.name, seed.contents);
            }
        }
        const std::string pem = key().private_pem();
        sandbox.add("key.pem", {pem.begin(), pem.end()});
        return true;
    }();
    (void)kIsFilled;
    return sandbox;
}

void call(const std::vector<const char*>& arguments) {
    int code = 0;
    {
        const Silence silence;
        code = cli::run_pianola(static_cast<int>(arguments.size()), arguments.data());
    }
    test::require((code == cli::kDone) || ((code >= cli::kUsage) && (code <= cli::kDifferent)),
                  "the exit code is documented, and not that of a defect: " + std::to_string(code));
}

// As a statement of somebody who has the right key, but another tool.
void check_as_statement(json statement) {
    // A receipt is one deeper than its statement.
    if (statement.is_object() && (count_value(statement).depth < static_cast<std::size_t>(files::kMaxJsonDepth))) {
        statement["format"] = "pianola-receipt";
        statement["version"] = signing::kReceiptVersion;
        const std::string receipt = signing::make_receipt(statement, key());
        try {
            test::require(signing::open_receipt({receipt.begin(), receipt.end()}, key()) == statement,
                          "a receipt holds the statement that was signed");
        } catch (const signing::SigningError& error) {
            test::require(std::string_view{error.what()}.rfind("signed, but no statement", 0U) == 0U,
                          "a receipt that was signed is refused for its statement only");
        }
        store("signed.json", receipt);
        call({"pianola", "receipt", "check", "signed.json", "--key", "key.pem", "--binary", "default.ptb"});
    }
}

}  // namespace

void run_one(ByteSpan input) {
    Sandbox& folder = sandbox();
    const std::string text{input.begin(), input.end()};
    bool is_taken = false;
    try {
        const json value = files::parse_json({input.begin(), input.end()});
        const auto ordered = files::parse_json<nlohmann::ordered_json>({input.begin(), input.end()});
        is_taken = true;
        test::require(json::parse(ordered.dump()) == value, "both kinds of value are the same");
        test::require(json::parse(value.dump()) == value, "what was read can be written and read");
        if ((text.size() % 4U) == 0U) {
            check_as_statement(value.contains("statement") ? value["statement"] : value);
        }
    } catch (const files::JsonError&) {
        is_taken = false;
    }
    test::require(is_taken == must_be_taken(text),
                  "a text is taken where it is JSON, flat enough, and loses no member");
    store("text.json", text);
    switch (text.size() % 4U) {
        case 1U:
            call({"pianola", "receipt", "check", "text.json", "--key", "key.pem"});
            break;
        case 2U:
            call({"pianola", "mutate", "--merge", "text.json", "--json"});
            call({"pianola", "mutate", "--merge", "text.json"});
            break;
        case 3U:
            call({"pianola", "verify", "default.ptb", "--device", "text.json"});
            break;
        default:
            break;
    }
    folder.restore();
}

void mutate(Bytes& input, std::size_t max_bytes, test::Random& random) {
    const auto at = [&] { return input.begin() + random.below(static_cast<std::uint32_t>(input.size()) + 1U); };
    const auto insert = [&](const std::string& text) { input.insert(at(), text.begin(), text.end()); };
    switch (random.below(5U)) {
        case 0U: {
            // A value of any depth, in the place of whatever stands there.
            const std::size_t depth = 1U + random.below(64U);
            const std::string open = random.one_in(2U) ? "[" : "{\"a\":";
            const std::string close = (open == "[") ? "]" : "}";
            std::string text;
            for (std::size_t i = 0U; i < depth; ++i) {
                text += open;
            }
            text += "0";
            for (std::size_t i = 0U; i < depth; ++i) {
                text += close;
            }
            const std::string all{input.begin(), input.end()};
            const std::size_t colon = all.find(':', random.below(static_cast<std::uint32_t>(all.size()) + 1U));
            const std::size_t end = (colon == std::string::npos) ? colon : all.find_first_of(",}", colon);
            const std::string changed =
                (end == std::string::npos) ? text : (all.substr(0U, colon + 1U) + text + all.substr(end));
            input.assign(changed.begin(), changed.end());
            break;
        }
        case 1U: {
            // A member again, at the beginning of an object.
            const std::string all{input.begin(), input.end()};
            const std::size_t start = all.find('{', random.below(static_cast<std::uint32_t>(all.size()) + 1U));
            const std::size_t end = (start == std::string::npos) ? start : all.find(',', start);
            if (end != std::string::npos) {
                const std::string member = all.substr(start + 1U, end - start);
                input.insert(input.begin() + static_cast<std::ptrdiff_t>(start + 1U), member.begin(), member.end());
            }
            break;
        }
        case 2U: {
            constexpr std::array kWords{"null", "true", "-1",     "1e9", "4294967296", "\"\"",
                                        "[]",   "{}",   "\"a\":", ",",   "\"\\u0061\""};
            insert(kWords.at(random.below(static_cast<std::uint32_t>(kWords.size()))));
            break;
        }
        default:
            mutate_bytes(input, max_bytes, random);
            break;
    }
}

}  // namespace pianola::fuzz
