#include "hal/devices/refdev/kernels/window.h"

#include <gtest/gtest.h>

#include <random>

namespace pianola::refdev {
namespace {

TEST(Window, TapsAndWindowsInsideAreThoseOfEachPosition) {
    std::mt19937 random(1U);
    const auto from_to = [&random](std::uint32_t least, std::uint32_t most) {
        return least + static_cast<std::uint32_t>(random() % (most - least + 1U));
    };
    // Small ones, and some as large as arguments may be.
    for (int i = 0; i < 20000; ++i) {
        const std::uint32_t scale = ((i % 200) == 0) ? 2700U : 1U;
        const WindowAxis axis{from_to(1U, 12U * scale), from_to(1U, 9U * scale), from_to(1U, 4U * scale),
                              from_to(1U, 4U * scale), from_to(0U, 12U * scale)};
        const std::uint32_t positions = from_to(1U, 12U * scale);
        std::uint64_t taps = 0U;
        std::uint64_t windows = 0U;
        std::uint64_t touching = 0U;
        for (std::uint32_t position = 0U; position < positions; ++position) {
            const std::int32_t origin = axis.origin(position);
            taps += taps_inside(axis, origin).count();
            windows += is_inside(axis, origin) ? 1U : 0U;
            touching += (taps_inside(axis, origin).count() != 0U) ? 1U : 0U;
        }
        ASSERT_EQ(taps_inside_all(axis, positions), taps) << i;
        ASSERT_EQ(taps_inside_all(axis, 0U), 0U) << i;
        ASSERT_EQ(windows_inside(axis, positions), windows) << i;
        ASSERT_EQ(windows_touching(axis, positions), touching) << i;
    }
}

}  // namespace
}  // namespace pianola::refdev
