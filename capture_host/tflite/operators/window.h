// Window: geometry of a sliding window along one dimension.
//
// The formulas are those of the published SAME and VALID padding schemes.
#pragma once

#include <cstdint>

#include "capture_host/tflite/operators/operator_context.h"

namespace pianola::tflite {

struct WindowAxis {
    std::uint32_t stride{1U};
    std::uint32_t dilation{1U};
    std::uint32_t pad_before{0U};
};

struct Window {
    WindowAxis height;
    WindowAxis width;
};

// Dimensions of an NHWC tensor of rank 4, each within what kernels accept.
struct ImageShape {
    std::uint32_t batches{0U};
    std::uint32_t height{0U};
    std::uint32_t width{0U};
    std::uint32_t channels{0U};
};

[[nodiscard]] ImageShape image_shape(const OperatorContext& context, const Tensor& tensor, const char* what);

struct AxisOptions {
    std::int32_t stride{0};
    std::int32_t dilation{0};
};

// Padding schemes, by their numbers in the format.
inline constexpr std::int8_t kPaddingSame = 0;
inline constexpr std::int8_t kPaddingValid = 1;

// The values of an operator's options.
struct WindowOptions {
    std::int8_t padding{kPaddingSame};
    AxisOptions height;
    AxisOptions width;
};

// Checks the options, and that they map `input` to `output`.
[[nodiscard]] Window window_of(const OperatorContext& context, const WindowOptions& options, const ImageShape& input,
                               const ImageShape& output, std::uint32_t filter_height, std::uint32_t filter_width);

}  // namespace pianola::tflite
