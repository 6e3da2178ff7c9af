#include "capture_host/cli/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "capture_host/cli/cli.h"

namespace pianola::cli {
namespace {

std::string value_text(const nlohmann::json& value, std::string_view spec) {
    const std::string form = fmt::format("{{:{}}}", spec);
    const auto text = [&form](const auto& typed) { return fmt::format(fmt::runtime(form), typed); };
    switch (value.type()) {
        case nlohmann::json::value_t::number_unsigned:
            return text(value.get<std::uint64_t>());
        case nlohmann::json::value_t::number_integer:
            return text(value.get<std::int64_t>());
        case nlohmann::json::value_t::number_float:
            return text(value.get<double>());
        case nlohmann::json::value_t::array:
            return text(fmt::format("{}", fmt::join(value.get<std::vector<std::string>>(), ", ")));
        default:
            return text(value.get<std::string>());
    }
}

}  // namespace

std::string fill(std::string_view form, const nlohmann::json& document) {
    std::string text;
    for (std::size_t open = form.find('{'); open != std::string_view::npos; open = form.find('{')) {
        const std::size_t close = form.find('}', open);
        const std::string_view field = form.substr(open + 1U, close - (open + 1U));
        const std::size_t colon = std::min(field.find(':'), field.size());
        const nlohmann::json::json_pointer path{"/" + std::string{field.substr(0U, colon)}};
        text += form.substr(0U, open);
        text += value_text(document.at(path), field.substr(std::min(colon + 1U, field.size())));
        form.remove_prefix(close + 1U);
    }
    return text.append(form);
}

std::string fill_each(std::string_view form, const nlohmann::json& list) {
    std::string text;
    for (const nlohmann::json& each : list) {
        text += fill(form, each);
    }
    return text;
}

void print_result(bool as_json, const nlohmann::json& document, const std::string& text) {
    fmt::print("{}", as_json ? (json_text(document) + "\n") : text);
}

}  // namespace pianola::cli
