#include "hal/devices/refdev/kernels/elements.h"
#include "hal/devices/refdev/kernels/fixed_point.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/pool2d.h"

namespace pianola::refdev {
namespace {

// At most kMaxTaps elements of int8, or kMaxSpatial of int16, are added up, so no sum overflows.
template <typename Element>
void average_of(const PoolWindow& window, const Pool2dArguments& arguments, std::int8_t* output) noexcept {
    std::array<std::int32_t, kPoolChannelBlock> sums{};
    for (std::uint32_t row = 0U; row < window.rows; ++row) {
        for (std::uint32_t column = 0U; column < window.columns; ++column) {
            const std::int8_t* const tap = window.tap(row, column);
            for (std::uint32_t i = 0U; i < window.channels; ++i) {
                sums[i] += load_element<Element>(tap, i);
            }
        }
    }
    const std::int32_t count = larger_of(static_cast<std::int32_t>(window.rows * window.columns), 1);
    const std::int32_t half = count / 2;
    for (std::uint32_t i = 0U; i < window.channels; ++i) {
        const std::int32_t mean = (sums[i] + ((sums[i] > 0) ? half : -half)) / count;
        store_element<Element>(output, i, clamp_to(mean, arguments.activation_min, arguments.activation_max));
    }
}

void average(const PoolWindow& window, const Pool2dArguments& arguments, std::int8_t* output) noexcept {
    if (arguments.type == kTypeInt8) {
        average_of<std::int8_t>(window, arguments, output);
    } else {
        average_of<std::int16_t>(window, arguments, output);
    }
}

}  // namespace

Status compute_average_pool2d(WordSpan arguments, const BoundOperands& bound) noexcept {
    return compute_pool2d(arguments, bound, average);
}

}  // namespace pianola::refdev
