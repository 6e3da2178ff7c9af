#include "hal/devices/refdev/kernels/elements.h"
#include "hal/devices/refdev/kernels/fixed_point.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/pool2d.h"

namespace pianola::refdev {
namespace {

template <typename Element>
void maximum_of(const PoolWindow& window, const Pool2dArguments& arguments, std::int8_t* output) noexcept {
    std::array<Element, kPoolChannelBlock> largest{};
    largest.fill(std::numeric_limits<Element>::min());
    for (std::uint32_t row = 0U; row < window.rows; ++row) {
        for (std::uint32_t column = 0U; column < window.columns; ++column) {
            const std::int8_t* const tap = window.tap(row, column);
            for (std::uint32_t i = 0U; i < window.channels; ++i) {
                const auto element = static_cast<Element>(load_element<Element>(tap, i));
                largest[i] = (element > largest[i]) ? element : largest[i];
            }
        }
    }
    for (std::uint32_t i = 0U; i < window.channels; ++i) {
        store_element<Element>(output, i, clamp_to(largest[i], arguments.activation_min, arguments.activation_max));
    }
}

void maximum(const PoolWindow& window, const Pool2dArguments& arguments, std::int8_t* output) noexcept {
    if (arguments.type == kTypeInt8) {
        maximum_of<std::int8_t>(window, arguments, output);
    } else {
        maximum_of<std::int16_t>(window, arguments, output);
    }
}

}  // namespace

Status compute_max_pool2d(WordSpan arguments, const BoundOperands& bound) noexcept {
    return compute_pool2d(arguments, bound, maximum);
}

}  // namespace pianola::refdev
