// Images, and windows that slide over them, of a model's operators.
#pragma once

#include <cstdint>

#include "capture_host/tflite/operators/operator_context.h"

namespace pianola::tflite {

using operators::ImageShape;
using operators::Window;
using operators::WindowAxis;

// Each dimension is within what kernels accept.
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
