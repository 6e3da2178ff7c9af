#include "capture_host/base/text.h"

#include <algorithm>
#include <array>

#include "capture_host/base/json.h"

namespace pianola::files {

std::string readable(const std::string& name) {
    using nlohmann::json;
    // Writes and reads it again, because only the writer can replace invalid UTF-8.
    const std::string written = json(name).dump(-1, ' ', false, json::error_handler_t::replace);
    auto text = parse_json({written.begin(), written.end()}).get<std::string>();
    const auto is_control = [](char each) { return ((each >= '\0') && (each < ' ')) || (each == '\x7F'); };
    std::replace_if(text.begin(), text.end(), is_control, '_');
    return text;
}

std::string to_hex(ByteSpan bytes) {
    constexpr std::array<char, 17> kDigits{"0123456789abcdef"};
    std::string text;
    for (const std::uint8_t byte : bytes) {
        text += kDigits.at(static_cast<std::size_t>(byte) >> 4U);
        text += kDigits.at(static_cast<std::size_t>(byte) & 0xFU);
    }
    return text;
}

std::string path_text(const FieldPath& path) {
    constexpr std::size_t kLongest = 256U;
    std::array<char, kLongest> text{};
    return {text.data(), format_path(path, Span<char>{text})};
}

}  // namespace pianola::files
