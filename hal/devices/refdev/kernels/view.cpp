#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/launch_check.h"

namespace pianola::refdev {
namespace {

using Arguments = ViewArguments;

constexpr ArgumentRules<Arguments> kRules = rules_of<Arguments>();

constexpr std::size_t kInnermost = kViewRank - 1U;

[[nodiscard]] std::uint32_t magnitude(std::int32_t stride) noexcept {
    const auto word = static_cast<std::uint32_t>(stride);
    return (stride < 0) ? (0U - word) : word;
}

// Distance of the first and the last element along `axis`, or a number above kMaxOperandBytes if it is larger.
[[nodiscard]] std::uint64_t reach_bytes(const Arguments& a, std::size_t axis) noexcept {
    return bounded_product(a.dims[axis] - 1U, magnitude(a.strides[axis]));
}

[[nodiscard]] std::uint64_t hull_bytes(const Arguments& a) noexcept {
    std::uint64_t bytes = a.element_bytes;
    for (std::size_t axis = 0U; axis < kViewRank; ++axis) {
        bytes += reach_bytes(a, axis);
    }
    return bytes;
}

// Offset of the element of index 0 in the hull.
[[nodiscard]] std::size_t first_element(const Arguments& a) noexcept {
    std::uint64_t offset = 0U;
    for (std::size_t axis = 0U; axis < kViewRank; ++axis) {
        offset += (a.strides[axis] < 0) ? reach_bytes(a, axis) : 0U;
    }
    return static_cast<std::size_t>(offset);
}

// A stride to add to an offset; a negative one wraps, as the sum then does.
[[nodiscard]] std::size_t step_of(const Arguments& a, std::size_t axis) noexcept {
    return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(a.strides[axis]));
}

// Offsets of the rows of innermost elements, in the order of the output.
class Rows {
  public:
    explicit Rows(const Arguments& arguments) noexcept : arguments_{arguments}, offset_{first_element(arguments)} {}

    [[nodiscard]] std::size_t offset() const noexcept { return offset_; }

    void next() noexcept {
        bool carries = true;
        for (std::size_t i = kInnermost; carries && (i > 0U); --i) {
            const std::size_t axis = i - 1U;
            offset_ += step_of(arguments_, axis);
            index_[axis] += 1U;
            carries = index_[axis] == arguments_.dims[axis];
            if (carries) {
                offset_ -= step_of(arguments_, axis) * arguments_.dims[axis];
                index_[axis] = 0U;
            }
        }
    }

  private:
    const Arguments& arguments_;
    std::array<std::uint32_t, kInnermost> index_{};
    std::size_t offset_;
};

// One row; with a constant size the compiler emits a move for each element.
template <std::size_t kBytes>
void copy_row(std::int8_t* output, const std::int8_t* input, std::size_t offset, const Arguments& a) noexcept {
    for (std::uint32_t i = 0U; i < a.dims[kInnermost]; ++i) {
        std::memcpy(output, input + offset, kBytes);
        output += kBytes;
        offset += step_of(a, kInnermost);
    }
}

void copy_row_of_any(std::int8_t* output, const std::int8_t* input, std::size_t offset, const Arguments& a) noexcept {
    for (std::uint32_t i = 0U; i < a.dims[kInnermost]; ++i) {
        std::memcpy(output, input + offset, a.element_bytes);
        output += a.element_bytes;
        offset += step_of(a, kInnermost);
    }
}

void copy_row_by_size(std::int8_t* output, const std::int8_t* input, std::size_t offset, const Arguments& a) noexcept {
    switch (a.element_bytes) {
        case sizeof(std::uint8_t):
            copy_row<sizeof(std::uint8_t)>(output, input, offset, a);
            break;
        case sizeof(std::uint16_t):
            copy_row<sizeof(std::uint16_t)>(output, input, offset, a);
            break;
        case sizeof(std::uint32_t):
            copy_row<sizeof(std::uint32_t)>(output, input, offset, a);
            break;
        default:
            copy_row_of_any(output, input, offset, a);
            break;
    }
}

}  // namespace

Status describe_view(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules, footprint, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const std::uint64_t elements =
        bounded_product(a.dims[0], a.dims[1], a.dims[2], a.dims[3], a.dims[4], a.dims[kInnermost]);
    const bool accepted = check.operand(word_of(offsetof(Arguments, input)), hull_bytes(a), Access::kRead) &&
                          check.operand(word_of(offsetof(Arguments, output)),
                                        bounded_product(elements, a.element_bytes), Access::kWrite) &&
                          check.output_placed(word_of(offsetof(Arguments, output)), LaunchCheck::Placement::kApart);
    return check.finish(accepted, elements);
}

Status compute_view(WordSpan arguments, const BoundOperands& bound) noexcept {
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const std::size_t row_count = static_cast<std::size_t>(a.dims[0]) * a.dims[1] * a.dims[2] * a.dims[3] * a.dims[4];
    const std::size_t row_bytes = static_cast<std::size_t>(a.dims[kInnermost]) * a.element_bytes;
    Rows rows{a};
    std::int8_t* output = bound.output;
    for (std::size_t row = 0U; row < row_count; ++row) {
        copy_row_by_size(output, bound.inputs[0], rows.offset(), a);
        output += row_bytes;
        rows.next();
    }
    return Status::kOk;
}

}  // namespace pianola::refdev
