// Windows on images: what convolutions and pooling have in common.
//
// The sizes come from capture_host/tflite/model, as the importer's do. Work is shared among cores by rows of the
// result.
#pragma once

#include <algorithm>
#include <vector>

#include "capture_host/host/tensor/row_work.h"
#include "pianola_host/quantized.h"

namespace pianola::tensor {

struct Image {
    std::uint32_t batches{0U};
    std::uint32_t height{0U};
    std::uint32_t width{0U};
    std::uint32_t channels{0U};
};

// Throws TENSOR-TYPE, TENSOR-SHAPE: int8 or int16, four dimensions, height and width within what kernels take.
[[nodiscard]] Image image_of(const char* operation, const char* argument, const Tensor& tensor);

// One axis of the work, checked.
struct WindowAxis {
    std::uint32_t input{0U};
    std::uint32_t output{0U};
    std::uint32_t filter{0U};
    std::uint32_t stride{1U};
    std::uint32_t dilation{1U};
    std::uint32_t pad_before{0U};
};
struct WindowPlan {
    WindowAxis height;
    WindowAxis width;
};

// Throws TENSOR-ARGUMENT.
[[nodiscard]] WindowPlan plan_of(const char* operation, const Image& input, std::uint32_t filter_height,
                                 std::uint32_t filter_width, const Windows& windows);
void require_taps(const char* operation, std::uint64_t height, std::uint64_t width, std::uint64_t depth);

// A part of the work: rows of the result, and what they are made from.
struct RowShare {
    std::uint32_t input_begin{0U};   // elements before its first row
    std::uint32_t output_begin{0U};  // the same
    std::uint32_t batches{0U};
    std::uint32_t input_rows{0U};
    std::uint32_t output_rows{0U};
    std::uint32_t pad_before{0U};
};
// The work cut into about as many parts as there are cores.
[[nodiscard]] std::vector<RowShare> shares_of(const Image& input, const WindowPlan& plan, std::uint32_t output_channels,
                                              std::size_t cores);

// Launches of one kernel over all shares of a result, where input and result lie in one run each. `describe(share)`
// gives the arguments without the addresses of input and output.
template <typename Arguments, typename Describe>
void launch_shares(const char* name, refdev::KernelId kernel, const Tensor& input, const Tensor& output,
                   const std::vector<host::CoreCoord>& cores, const std::vector<RowShare>& shares, std::uint32_t queue,
                   const Describe& describe) {
    Launches launches{*output.device()};
    const std::uint32_t element = bytes_per_element(input.type());  // of both
    for (std::size_t i = 0U; i < shares.size(); ++i) {
        host::Arguments words = describe(shares[i]);
        set_address(words, offsetof(Arguments, input), input, run_address(input) + (element * shares[i].input_begin));
        set_address(words, offsetof(Arguments, output), output,
                    run_address(output) + (element * shares[i].output_begin));
        launches.add(kernel, cores[i % cores.size()], std::move(words));
    }
    enqueue(output, launches, name, queue);
}

}  // namespace pianola::tensor
