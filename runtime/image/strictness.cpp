#include "runtime/image/strictness.h"

namespace pianola {

bool StrictnessWalk::is_name(const flatbuffers::String* text, std::uint32_t limit) noexcept {
    constexpr std::uint8_t kFirstPrintable = 0x20U;
    constexpr std::uint8_t kLastPrintable = 0x7EU;
    if ((text == nullptr) || (text->size() == 0U) || (text->size() > limit)) {
        return false;
    }
    for (std::uint32_t i = 0U; i < text->size(); ++i) {
        const std::uint8_t character =
            text->Data()[i];  // NOLINT(cppcoreguidelines-pro-bounds-pointer-arithmetic): DEV-002
        if ((character < kFirstPrintable) || (character > kLastPrintable)) {
            return false;
        }
    }
    return true;
}

bool StrictnessWalk::refuse_at(Rule rule, const void* where, const char* field, std::uint32_t index,
                               std::uint64_t actual, std::uint64_t limit) noexcept {
    verdict_.path.enter(field, index);
    const auto offset = static_cast<std::uint64_t>(static_cast<const std::uint8_t*>(where) - file_.data());
    return is_ok(refuse(verdict_, rule, offset, actual, limit));
}

}  // namespace pianola
