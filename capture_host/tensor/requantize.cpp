#include <fmt/format.h>

#include "capture_host/tensor/channel_parameters.h"
#include "capture_host/tensor/each_device.h"
#include "capture_host/tensor/row_work.h"
#include "capture_host/tensor/tensor_error.h"

namespace pianola::tensor {
namespace {

using refdev::KernelId;

constexpr std::uint32_t kWordBytes = sizeof(std::uint32_t);
// Elements whose parameters lie in memory at a time, on all cores together and on each at least.
constexpr std::uint32_t kChunkElements = 16384U;
constexpr std::uint32_t kLeastChunkElements = 1024U;

struct RequantizeLaunch {
    static constexpr KernelId kKernel = KernelId::kRequantize;
    tflite::FixedPoint scale;
    std::int32_t input_zero_point{0};
    std::int32_t output_zero_point{0};

    host::Arguments operator()(const host::Argument& from, const host::Argument& to, std::uint32_t count) const {
        return {from,
                to,
                count,
                static_cast<std::uint32_t>(input_zero_point),
                static_cast<std::uint32_t>(scale.multiplier),
                static_cast<std::uint32_t>(scale.shift),
                static_cast<std::uint32_t>(output_zero_point)};
    }
};

// int32 to int8 by the kernel of fully connected layers: an element is the start of the sum of a channel whose one
// product is 0, so that all that is left is the scheme's rescaling.
class Narrowing {
  public:
    Narrowing(const Tensor& operand, const Tensor& result, tflite::FixedPoint scale, std::int32_t zero_point,
              std::uint32_t queue)
        : operand_{operand},
          result_{result},
          scale_{scale},
          zero_point_{zero_point},
          queue_{queue},
          cores_{host::cores_of(host::all_cores(result.device()->spec()))},
          chunk_{std::max(kLeastChunkElements, word(kChunkElements / cores_.size()))},
          cells_{CommonScale{scale}.cells(result.device(), queue)},
          tables_{scratch({word(cores_.size()), chunk_, 3U})} {}

    void run(const char* name) {
        Launches launches{*result_.device()};
        if (scale_.shift > 0) {
            bound();
        }
        const std::uint32_t columns = columns_of(result_.shape());
        for_rows_of_both(launches, operand_, result_,
                         [&](host::CoreCoord core, std::uint32_t from, std::uint32_t to, std::uint32_t rows) {
                             const std::uint32_t count = rows * columns;
                             for (std::uint32_t done = 0U; done < count; done += chunk_) {
                                 add(launches, core, from + (done * kWordBytes), to + done,
                                     std::min(chunk_, count - done));
                             }
                         });
        enqueue(result_, launches, name, queue_);
    }

  private:
    [[nodiscard]] Tensor scratch(const Shape& shape) const {
        return Tensor::on_device({shape, ElementType::kInt32, kDramInterleaved}, result_.device(), {queue_, true});
    }

    // A shift to the left wraps. What it would wrap saturates in the result: it is bounded first.
    void bound() {
        const std::uint32_t limit = (std::uint32_t{1} << (31U - static_cast<std::uint32_t>(scale_.shift))) - 1U;
        const TensorSpec spec{operand_.shape(), ElementType::kInt32, operand_.memory_config()};
        const Tensor limits = Tensor::on_device(spec, result_.device(), {queue_, true});
        Tensor bounded = Tensor::on_device(spec, result_.device(), {queue_, true});
        for (const auto op : {Binary::kMinimum, Binary::kMaximum}) {
            const auto signed_limit = static_cast<std::int64_t>(limit);
            fill(limits, (op == Binary::kMinimum) ? signed_limit : -signed_limit, queue_);
            static_cast<void>(binary(op, (op == Binary::kMinimum) ? operand_ : bounded, limits,
                                     OperationOptions{std::nullopt, bounded, queue_}));
        }
        operand_ = bounded;
    }

    void add(Launches& launches, host::CoreCoord core, std::uint32_t from, std::uint32_t to, std::uint32_t count) {
        const auto index = static_cast<std::uint32_t>(std::find(cores_.begin(), cores_.end(), core) - cores_.begin());
        const std::uint32_t table = run_address(tables_) + (index * chunk_ * refdev::kChannelParametersBytes);
        add_table(launches, core, operand_, from, kWordBytes, cells_, tables_, table, count);
        refdev::FullyConnectedArguments arguments{};
        arguments.batches = 1U;
        arguments.input_depth = 1U;
        arguments.output_depth = count;
        arguments.output_offset = zero_point_;
        arguments.activation_min = INT8_MIN;
        arguments.activation_max = INT8_MAX;
        host::Arguments words = words_of(arguments);
        using Member = refdev::FullyConnectedArguments;
        set_address(words, offsetof(Member, input), cells_, run_address(cells_) + (2U * kWordBytes));  // a 0
        set_address(words, offsetof(Member, filter), tables_, table);  // whatever it holds is multiplied by 0
        set_address(words, offsetof(Member, channel_parameters), tables_, table);
        set_address(words, offsetof(Member, output), result_, to);
        launches.add(KernelId::kFullyConnected, core, std::move(words));
    }

    Tensor operand_;
    Tensor result_;
    tflite::FixedPoint scale_;
    std::int32_t zero_point_;
    std::uint32_t queue_;
    std::vector<host::CoreCoord> cores_;
    std::uint32_t chunk_;
    Tensor cells_;
    Tensor tables_;
};

// Rows in no more pieces than cores. A page of interleaved L1 may be a single row, and two launches for each are many.
[[nodiscard]] bool is_in_few_pieces(const Tensor& tensor) {
    return has_whole_rows(tensor) &&
           (tensor.buffer()->pieces().size() <= host::cores_of(host::all_cores(tensor.device()->spec())).size());
}

[[nodiscard]] Tensor narrow(const char* name, const Tensor& operand, const Tensor& result, tflite::FixedPoint scale,
                            std::int32_t zero_point, std::uint32_t queue) {
    return through(is_in_few_pieces, result, queue, [&](const Tensor& whole) {
        const Tensor source = is_in_few_pieces(operand) ? operand : temporary_copy(operand, kDramInterleaved, queue);
        Narrowing{source, whole, scale, zero_point, queue}.run(name);
    });
}

}  // namespace

Tensor requantize(const Tensor& operand, const Quantization& from, const Quantization& to,
                  const OperationOptions& options) {
    if (is_distributed(operand, options)) {
        return for_each_device(
            "requantize", [](const auto&... each) { return requantize(each...); }, operand, from, to, options);
    }
    const char* const name = "requantize";
    static_cast<void>(kernel_type(name, operand));
    require_scale(name, "in_scale", from.scale);
    require_scale(name, "out_scale", to.scale);
    require_zero_point(name, "in_zero_point", from.zero_point);
    require_zero_point(name, "out_zero_point", to.zero_point);
    const tflite::FixedPoint scale = ratio_of(name, from, to);
    const bool narrows = operand.type() == ElementType::kInt32;
    if (narrows && (from.zero_point != 0)) {
        throw TensorError{TensorRule::kQuantization,
                          fmt::format("{}: in_zero_point is {}; that of int32 is 0", name, from.zero_point)};
    }
    Tensor result = result_for(name, spec_of_type(operand, ElementType::kInt8), options, operand.device());
    if (narrows) {
        return narrow(name, operand, result, scale, to.zero_point, options.queue);
    }
    element_by_element(operand, result, name, options.queue, RequantizeLaunch{scale, from.zero_point, to.zero_point});
    return result;
}

}  // namespace pianola::tensor
