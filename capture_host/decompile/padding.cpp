#include "capture_host/decompile/padding.h"

#include <algorithm>

namespace pianola::decompile {
namespace {

namespace format = tflite::format;

constexpr std::size_t kPaddings = 1U;
constexpr std::size_t kValue = 2U;

// Whether the padding of `pad`, which makes input 0 of `op`, represents 0 there.
bool pads_with_zero(const Operation& pad, const Operation& op) {
    Tokens zero;
    append_integer(zero, zero_point_of(op.in(0U)), element_bytes_of(op.in(0U)));
    return (pad.code() == format::BuiltinOperator_PAD) ||
           ((pad.code() == format::BuiltinOperator_PADV2) && (pad.bytes(kValue) == zero));
}

}  // namespace

std::optional<Unpadded> unpadded(const Operation& op) {
    const std::optional<Operation> pad = op.maker(0U);
    if (!pad.has_value() || !pads_with_zero(*pad, op)) {
        return std::nullopt;
    }
    const Shape& image = pad->in(0U).shape;
    const std::vector<std::int32_t> paddings = pad->integers(kPaddings);
    constexpr std::size_t kRank = 4U;
    const bool is_image = (image.size() == kRank) && (paddings.size() == (2U * kRank)) &&
                          std::all_of(paddings.begin(), paddings.end(), [](std::int32_t size) { return size >= 0; });
    if (!is_image || (image[0] != op.in(0U).shape.at(0U)) || (image[3] != op.in(0U).shape.at(3U))) {
        return std::nullopt;
    }
    return Unpadded{image[1], image[2], static_cast<std::uint32_t>(paddings[2]),
                    static_cast<std::uint32_t>(paddings[4]), pad->bytes(0U)};
}

}  // namespace pianola::decompile
