#include "hal/devices/refdev/kernels/lead.h"

#include <array>

namespace pianola::refdev {
namespace {

// Over `count` outputs along the axis: the most by which the bytes of the outputs before one, `written` each, exceed
// those before the first input under its window, `read` each.
[[nodiscard]] std::uint64_t lead_along(const WindowAxis& axis, std::uint32_t count, std::uint64_t written,
                                       std::uint64_t read) noexcept {
    // The excess is concave: it rises as long as windows begin in the padding, and then by the same number each.
    const std::uint32_t inside = axis.pad_before / axis.stride;
    std::uint64_t most = 0U;
    for (const std::uint32_t candidate : std::array<std::uint32_t, 3>{inside, inside + 1U, count - 1U}) {
        const std::uint32_t at = smaller_count(candidate, count - 1U);
        const std::int32_t origin = axis.origin(at);
        const std::uint64_t ahead = at * written;
        const std::uint64_t behind = (origin > 0) ? (static_cast<std::uint32_t>(origin) * read) : 0U;
        if (ahead > (most + behind)) {
            most = ahead - behind;
        }
    }
    return most;
}

}  // namespace

std::uint64_t lead_of(const WindowedImages& images) noexcept {
    const std::uint64_t output_row = images.output_width * images.output_pixel;
    const std::uint64_t input_row = images.columns.input_size * images.input_pixel;
    const WindowAxis batch{images.batches, 1U, 1U, 1U, 0U};
    return lead_along(batch, images.batches, images.output_height * output_row, images.rows.input_size * input_row) +
           lead_along(images.rows, images.output_height, output_row, input_row) +
           lead_along(images.columns, images.output_width, images.output_pixel, images.input_pixel);
}

}  // namespace pianola::refdev
