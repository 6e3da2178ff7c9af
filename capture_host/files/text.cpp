#include "capture_host/files/text.h"

#include <array>

namespace pianola::files {

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
