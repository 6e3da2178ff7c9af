// Padding: a convolution of an image that a PAD has made.
//
// The kernels of convolutions pad with the element that represents 0. So a binary can compute the PAD together with the
// convolution that reads it.
#pragma once

#include <optional>

#include "capture_host/decompile/operation.h"

namespace pianola::decompile {

// An image without its padding.
struct Unpadded {
    std::uint32_t height{0U};
    std::uint32_t width{0U};
    std::uint32_t top{0U};  // the padding before it
    std::uint32_t left{0U};
    Tokens bytes;
};

// Input 0, if a PAD makes it of another image by elements that represent 0, in height and width alone.
[[nodiscard]] std::optional<Unpadded> unpadded(const Operation& op);

}  // namespace pianola::decompile
