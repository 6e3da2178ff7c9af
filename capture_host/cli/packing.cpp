#include "capture_host/cli/packing.h"

#include <fmt/format.h>

#include <map>

#include "capture_host/binary/trace_walk.h"

namespace pianola::cli {

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
