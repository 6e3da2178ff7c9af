#include "capture_host/tensor/broadcast.h"

#include <fmt/format.h>

#include <numeric>

#include "capture_host/tensor/row_work.h"
#include "capture_host/tensor/tensor_error.h"

namespace pianola::tensor {
namespace {

constexpr std::uint64_t kSegments = refdev::kMaxGatherSegments;

// A shape with ones in front.
[[nodiscard]] Shape aligned(const Shape& shape, std::size_t rank) {
    Shape result(rank - shape.size(), 1U);
    result.insert(result.end(), shape.begin(), shape.end());
    return result;
}

// Rows in one run of DRAM, each repeated, step by step up to a whole tensor.
class Repetition {
  public:
    Repetition(const Tensor& operand, TensorSpec spec, std::uint32_t queue)
        : source_{in_one_run(operand, queue)}, spec_{std::move(spec)}, queue_{queue} {}

    // `rows` rows of `bytes` bytes, each `times` over. One gather takes a few copies of a row.
    void repeat(std::uint64_t rows, std::uint64_t bytes, std::uint64_t times) {
        if (rows == 1U) {  // one row, read as often as there are repetitions
            gather(times, 0U, {bytes});
            return;
        }
        for (std::uint64_t done = 1U; done < times;) {
            const std::uint64_t next = std::min(done * kSegments, times);
            std::vector<std::uint64_t> segments;
            for (std::uint64_t left = next; left > 0U; left -= std::min(left, done)) {
                segments.push_back(std::min(left, done) * bytes);
            }
            gather(rows, done * bytes, segments);
            done = next;
        }
    }

    [[nodiscard]] const Tensor& result() const noexcept { return source_; }

  private:
    // The source becomes rows of segments, each of which begins where a row of the source does.
    void gather(std::uint64_t rows, std::uint64_t stride, const std::vector<std::uint64_t>& segments) {
        const std::uint64_t row_bytes = std::accumulate(segments.begin(), segments.end(), std::uint64_t{0U});
        const bool is_last = (rows * row_bytes) == size_bytes(spec_);
        const TensorSpec between{{word(rows * row_bytes)}, ElementType::kInt8, kDramInterleaved};
        const Tensor to = Tensor::on_device(is_last ? spec_ : between, source_.device(), {queue_, true});
        Launches launches{*to.device()};
        const std::uint64_t share = (rows + (launches.core_count() - 1U)) / launches.core_count();
        for (std::uint64_t row = 0U; row < rows; row += share) {
            host::Arguments arguments{address_in(to.buffer(), word(run_address(to) + (row * row_bytes))),
                                      word(std::min(share, rows - row)), word(segments.size())};
            for (std::size_t i = 0U; i < kSegments; ++i) {
                if (i < segments.size()) {
                    arguments.push_back(address_in(source_.buffer(), word(run_address(source_) + (row * stride))));
                    arguments.insert(arguments.end(), {word(stride), word(segments[i])});
                } else {
                    arguments.insert(arguments.end(), {0U, 0U, 0U});
                }
            }
            launches.add(refdev::KernelId::kGather, std::nullopt, std::move(arguments));
        }
        enqueue(to, launches, "broadcast", queue_);
        source_ = to;
    }

    Tensor source_;
    TensorSpec spec_;
    std::uint32_t queue_;
};

}  // namespace

Shape broadcast_shape(const char* operation, const Shape& left, const Shape& right) {
    const std::size_t rank = std::max(left.size(), right.size());
    const Shape first = aligned(left, rank);
    const Shape second = aligned(right, rank);
    Shape shape;
    for (std::size_t i = 0U; i < rank; ++i) {
        if ((first[i] != second[i]) && (first[i] != 1U) && (second[i] != 1U)) {
            throw TensorError{TensorRule::kShape,
                              fmt::format("{}: operands of {} and {}; dimensions, counted from the last, must be equal "
                                          "or 1",
                                          operation, to_string(left), to_string(right))};
        }
        shape.push_back(std::max(first[i], second[i]));
    }
    return shape;
}

TensorSpec spec_of_broadcast(const Tensor& operand, const Shape& shape) {
    return (operand.shape() == shape) ? operand.spec() : spec_of_shape(operand, shape, operand.type());
}

Tensor broadcast_to(const Tensor& operand, const Shape& shape, std::uint32_t queue) {
    if (operand.shape() == shape) {
        return operand;
    }
    const Shape from = aligned(operand.shape(), shape.size());
    if (from == shape) {
        return operand.viewed_as(shape);
    }
    Repetition repetition{operand, {shape, operand.type(), kDramInterleaved}, queue};
    std::uint64_t inner = bytes_per_element(operand.type());
    std::uint64_t rows = element_count(from);
    for (std::size_t axis = shape.size(); axis > 0U;) {
        // Neighbours that are both repeated are repeated together.
        std::uint64_t times = 1U;
        for (; (axis > 0U) && (from[axis - 1U] != shape[axis - 1U]); --axis) {
            times *= shape[axis - 1U];
        }
        if (times > 1U) {
            repetition.repeat(rows, inner, times);
            inner *= times;
        } else {
            axis -= 1U;
            inner *= shape[axis];
            rows /= shape[axis];
        }
    }
    return repetition.result();
}

}  // namespace pianola::tensor
