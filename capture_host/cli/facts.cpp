#include "capture_host/cli/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>

#include "capture_host/binary/self_tests.h"
#include "capture_host/binary/state.h"
#include "capture_host/binary/trace_walk.h"

namespace pianola::cli {
namespace {

std::uint64_t bytes_of(const nlohmann::json& contents) {
    return contents.is_null() ? 0U : contents.at("bytes").get<std::uint64_t>();
}

std::string state_text(const nlohmann::json& region) {
    return fmt::format(
        "  state     {} bytes at 0x{:08X} in {}, '{}': first contents of {} from the prologue, of {} from "
        "the set-up\n",
        region.at("bytes").get<std::uint64_t>(), region.at("address").get<std::uint64_t>(),
        printable(region.at("memory")), printable(region.at("name")), bytes_of(region.at("prologue")),
        bytes_of(region.at("set_up")));
}

}  // namespace

std::string printable(const nlohmann::json& text) {
    const std::string quoted = text.dump(-1, ' ', true);
    return quoted.substr(1U, quoted.size() - 2U);
}

nlohmann::json evidence_of(const Image& image, const CommandSet* command_set) {
    nlohmann::json json = nlohmann::json::object();
    const std::vector<evidence::SelfTest> tests = evidence::self_tests_of(image);
    if (!tests.empty()) {
        json["self_tests"] = evidence::to_json(tests);
    }
    if (command_set != nullptr) {
        const std::vector<evidence::StateRegion> state = evidence::state_of(image, *command_set);
        if (!state.empty()) {
            json["state"] = evidence::to_json(state);
        }
    }
    return json;
}

std::string evidence_text(const nlohmann::json& statement) {
    std::string text;
    if (statement.contains("self_tests") && !statement.at("self_tests").empty()) {
        const nlohmann::json& tests = statement.at("self_tests");
        const auto expected = std::count_if(tests.begin(), tests.end(),
                                            [](const nlohmann::json& test) { return test.at("origin") == "expected"; });
        text += fmt::format("  self-tests {}: {} with outputs as expected, {} with captured outputs\n", tests.size(),
                            expected, tests.size() - static_cast<std::size_t>(expected));
    }
    if (statement.contains("state")) {
        for (const nlohmann::json& region : statement.at("state")) {
            text += state_text(region);
        }
    }
    return text;
}

nlohmann::json packing_of(const Target& target, const Image& image) {
    std::map<std::string, std::uint32_t> commands;
    for (std::uint32_t i = 0U; i < image.trace_count(); ++i) {
        const TraceView trace = image.trace(i);
        const WordSpan words =
            image.trace_words().subspan(trace.offset_bytes / sizeof(std::uint32_t), trace.word_count);
        (void)targets::for_each_command(
            target.command_set(), words, [&](std::uint32_t word, const DecodedCommand& command) {
                const std::string layout = target.packed_for(words.subspan(word, command.length_words));
                if (!layout.empty()) {
                    commands[layout] += 1U;
                }
            });
    }
    nlohmann::json packing = nlohmann::json::array();
    for (const auto& [layout, count] : commands) {
        packing.push_back({{"layout", layout}, {"commands", count}});
    }
    return packing;
}

std::string packing_text(const nlohmann::json& packing) {
    std::string text;
    for (const nlohmann::json& each : packing) {
        text += fmt::format("{}{} ({} commands)", text.empty() ? "" : ", ", each.at("layout").get<std::string>(),
                            each.at("commands").get<std::uint32_t>());
    }
    return text;
}

}  // namespace pianola::cli
