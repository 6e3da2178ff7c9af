// Windows on images: what convolutions and pooling have in common.
//
// The sizes come from capture_host/tflite/model, as the importer's do. Work is shared among cores by rows of the
// result.
#pragma once

#include <algorithm>
#include <vector>

#include "capture_host/host/tensor/row_work.h"
#include "capture_host/operators/kernel_arguments.h"
#include "pianola_host/quantized.h"

namespace pianola::tensor {

using operators::ImageShape;
using operators::Window;
using operators::WindowAxis;

// Throws TENSOR-TYPE, TENSOR-SHAPE: int8 or int16, four dimensions, height and width within what kernels take.
[[nodiscard]] ImageShape image_of(const char* operation, const char* argument, const Tensor& tensor);

// A window that slides over an image, and the sizes of the result.
struct WindowPlan {
    Window window;
    std::uint32_t output_height{0U};
    std::uint32_t output_width{0U};
};

// Throws TENSOR-ARGUMENT.
[[nodiscard]] WindowPlan plan_of(const char* operation, const ImageShape& input, std::uint32_t filter_height,
                                 std::uint32_t filter_width, const Windows& windows);
void require_taps(const char* operation, std::uint64_t height, std::uint64_t width, std::uint64_t depth);

// A part of the work: rows of the result, and the rows of the input that they are made from.
struct RowShare {
    std::uint32_t input_begin{0U};   // elements before its first row
    std::uint32_t output_begin{0U};  // the same
    ImageShape input;
    ImageShape output;
    Window window;
};
// The work cut into about as many parts as there are cores.
[[nodiscard]] std::vector<RowShare> shares_of(const ImageShape& input, const WindowPlan& plan,
                                              std::uint32_t output_channels, std::size_t cores);

// Launches of one kernel over all shares of a result, where input and result lie in one run each. `describe(share, from,
// to)` gives the arguments of one launch.
template <typename Describe>
void launch_shares(const char* name, refdev::KernelId kernel, const Tensor& input, const Tensor& output,
                   const std::vector<host::CoreCoord>& cores, const std::vector<RowShare>& shares, std::uint32_t queue,
                   const Describe& describe) {
    Launches launches{*output.device()};
    const std::uint32_t element = bytes_per_element(input.type());  // of both
    for (std::size_t i = 0U; i < shares.size(); ++i) {
        const RowShare& share = shares[i];
        launches.add(kernel, cores[i % cores.size()],
                     describe(share, run_argument(input, element * share.input_begin),
                              run_argument(output, element * share.output_begin)));
    }
    enqueue(output, launches, name, queue);
}

}  // namespace pianola::tensor
