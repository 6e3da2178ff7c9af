#include "capture_host/host/tensor/windows.h"

#include <fmt/format.h>

#include "capture_host/operators/window.h"
#include "hal/devices/refdev/kernels/launch_check.h"
#include "pianola_host/tensor_error.h"

namespace pianola::tensor {
namespace {

void require_size(const char* operation, const char* argument, std::uint64_t size, std::uint32_t least) {
    if ((size < least) || (size > refdev::kMaxSpatial)) {
        throw TensorError{TensorRule::kArgument, fmt::format("{}: {} is {}; it is from {} to {}", operation, argument,
                                                             size, least, refdev::kMaxSpatial)};
    }
}

// The axis and the size of the result along it.
[[nodiscard]] std::pair<WindowAxis, std::uint32_t> axis_of(const char* operation, const char* axis_name,
                                                           std::uint32_t input, std::uint32_t filter,
                                                           const Windows::Axis& wanted, bool same) {
    require_size(operation, "a filter's size", filter, 1U);
    require_size(operation, "stride", wanted.stride, 1U);
    require_size(operation, "dilation", wanted.dilation, 1U);
    const std::uint64_t reach = operators::window_reach(filter, wanted.dilation);
    std::uint64_t before = wanted.pad_before;
    std::uint64_t after = wanted.pad_after;
    if (same) {
        const std::uint64_t total =
            operators::padding_same(input, operators::windows_same(input, wanted.stride), reach, wanted.stride);
        before = total / 2U;
        after = total - before;
    }
    if ((before >= reach) || (after >= reach)) {
        throw TensorError{TensorRule::kArgument,
                          fmt::format("{}: padding of {} before and {} after the {}, of which a filter covers {}; both "
                                      "must be less, so that every window has an element",
                                      operation, before, after, axis_name, reach)};
    }
    require_size(operation, "padding", before, 0U);
    const std::uint64_t windows = operators::windows_inside(input + before + after, reach, wanted.stride);
    if (windows == 0U) {
        throw TensorError{TensorRule::kArgument,
                          fmt::format("{}: a filter covers {} of the {}, which is {} with its padding; it must fit",
                                      operation, reach, axis_name, input + before + after)};
    }
    require_size(operation, "the result's height or width", windows, 1U);
    return {WindowAxis{filter, wanted.stride, wanted.dilation, word(before)}, word(windows)};
}

}  // namespace

ImageShape image_of(const char* operation, const char* argument, const Tensor& tensor) {
    constexpr std::size_t kImageRank = 4U;
    require_activations(operation, argument, tensor);
    const Shape& shape = tensor.shape();
    if ((shape.size() != kImageRank) || (shape[1] > refdev::kMaxSpatial) || (shape[2] > refdev::kMaxSpatial)) {
        throw TensorError{TensorRule::kShape,
                          fmt::format("{}: {} is {}; it has four dimensions, the second and third up to {}", operation,
                                      argument, to_string(shape), refdev::kMaxSpatial)};
    }
    return ImageShape{shape[0], shape[1], shape[2], shape[3]};
}

WindowPlan plan_of(const char* operation, const ImageShape& input, std::uint32_t filter_height,
                   std::uint32_t filter_width, const Windows& windows) {
    const auto [height, output_height] =
        axis_of(operation, "height", input.height, filter_height, windows.height, windows.same);
    const auto [width, output_width] =
        axis_of(operation, "width", input.width, filter_width, windows.width, windows.same);
    return WindowPlan{{height, width}, output_height, output_width};
}

void require_taps(const char* operation, std::uint64_t height, std::uint64_t width, std::uint64_t depth) {
    // Each factor is below 2^32 and the first two below 2^15: no overflow.
    const std::uint64_t taps = height * width * depth;
    if (taps > refdev::kMaxTaps) {
        throw TensorError{TensorRule::kArgument, fmt::format("{}: a filter has {} taps; it has at most {}", operation,
                                                             taps, refdev::kMaxTaps)};
    }
}

std::vector<RowShare> shares_of(const ImageShape& input, const WindowPlan& plan, std::uint32_t output_channels,
                                std::size_t cores) {
    const WindowAxis& height = plan.window.height;
    const std::uint32_t rows = plan.output_height;
    const std::uint64_t input_row = std::uint64_t{input.width} * input.channels;
    const std::uint64_t output_row = std::uint64_t{plan.output_width} * output_channels;
    const std::uint64_t share = ((std::uint64_t{input.batches} * rows) + (cores - 1U)) / cores;
    const std::uint32_t batches = std::max(word(share / rows), 1U);
    const std::uint32_t rows_at_once = word(std::min<std::uint64_t>(share, rows));
    std::vector<RowShare> shares;
    for (std::uint32_t batch = 0U; batch < input.batches; batch += batches) {
        for (std::uint32_t row = 0U; row < rows; row += rows_at_once) {
            // Where the first window begins inside the input, the rows above it are left out.
            const std::uint64_t begin = std::uint64_t{row} * height.stride;
            const std::uint64_t skipped = std::max<std::uint64_t>(begin, height.pad_before) - height.pad_before;
            const std::uint64_t inside = (std::uint64_t{batch} * input.height) + skipped;
            const std::uint32_t count = std::min(batches, input.batches - batch);
            RowShare& part = shares.emplace_back();
            part.input_begin = word(inside * input_row);
            part.output_begin = word(((std::uint64_t{batch} * rows) + row) * output_row);
            part.input = {count, word(input.height - skipped), input.width, input.channels};
            part.output = {count, std::min(rows_at_once, rows - row), plan.output_width, output_channels};
            part.window = plan.window;
            part.window.height.pad_before = word((height.pad_before + skipped) - begin);
        }
    }
    return shares;
}

}  // namespace pianola::tensor
