#include "hal/kernels/fixed_point.h"
#include "hal/kernels/kernels.h"
#include "hal/kernels/pool2d.h"

namespace pianola::refdev {
namespace {

void maximum(const PoolWindow& window, const Pool2dArguments& arguments, std::int8_t* output) noexcept {
    std::array<std::int8_t, kPoolChannelBlock> largest{};
    largest.fill(INT8_MIN);
    for (std::uint32_t row = 0U; row < window.rows; ++row) {
        for (std::uint32_t column = 0U; column < window.columns; ++column) {
            const std::int8_t* const tap = window.tap(row, column);
            for (std::uint32_t i = 0U; i < window.channels; ++i) {
                largest[i] = (tap[i] > largest[i]) ? tap[i] : largest[i];
            }
        }
    }
    for (std::uint32_t i = 0U; i < window.channels; ++i) {
        output[i] = static_cast<std::int8_t>(clamp_to(largest[i], arguments.activation_min, arguments.activation_max));
    }
}

}  // namespace

Status run_max_pool2d(WordSpan arguments, const DeviceMemory& memory) noexcept {
    return run_pool2d(arguments, memory, maximum);
}

}  // namespace pianola::refdev
