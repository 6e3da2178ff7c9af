#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/elements.h"
#include "hal/devices/refdev/kernels/fixed_point.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/launch_check.h"

namespace pianola::refdev {
namespace {

using Arguments = MeanArguments;

constexpr std::uint32_t kRank = 4U;
constexpr std::uint32_t kLast = kRank - 1U;
constexpr std::uint32_t kLanes = 32U;  // outputs that are summed in parallel
constexpr std::uint32_t kMaxReduced =
    4U * 1024U * 1024U;                               // elements of one mean; the sum less zero points fits 32 bits
constexpr std::uint32_t kMaxReducedInt16 = kMaxTaps;  // the same of int16, which has no zero points

using Lanes = std::array<std::int32_t, kLanes>;

// The input as two nests of loops: over the dimensions that are kept, and within, over those that are averaged. A
// dimension has one of its two sizes equal to 1.
struct Plan {
    std::array<std::uint32_t, kRank> kept{};
    std::array<std::uint32_t, kRank> reduced{};
    std::array<std::size_t, kRank> strides{};  // bytes
    Scale scale;
    OutputRange range;
    std::int32_t zero_point_sum{0};

    explicit Plan(const Arguments& a) noexcept
        : scale{a.multiplier, a.shift},
          range{a.output_zero_point, (a.type == kTypeInt8) ? INT8_MIN : INT16_MIN,
                (a.type == kTypeInt8) ? INT8_MAX : INT16_MAX} {
        std::size_t stride = rescaled_bytes(a.type);
        std::uint32_t count = 1U;
        for (std::uint32_t i = kRank; i > 0U; --i) {
            const std::uint32_t axis = i - 1U;
            const bool is_reduced = ((a.reduced_axes >> axis) & 1U) != 0U;
            kept[axis] = is_reduced ? 1U : a.dims[axis];
            reduced[axis] = is_reduced ? a.dims[axis] : 1U;
            strides[axis] = stride;
            stride *= a.dims[axis];
            count *= reduced[axis];
        }
        zero_point_sum = static_cast<std::int32_t>(count) * a.input_zero_point;
    }
};

[[nodiscard]] std::uint64_t reduced_count(const Arguments& a) noexcept {
    std::array<std::uint32_t, kRank> reduced{};
    for (std::uint32_t axis = 0U; axis < kRank; ++axis) {
        reduced[axis] = (((a.reduced_axes >> axis) & 1U) != 0U) ? a.dims[axis] : 1U;
    }
    return bounded_product(reduced[0], reduced[1], reduced[2], reduced[3]);
}

// Adds the innermost dimension: to one lane each if it is kept, all to lane 0 if it is averaged.
template <typename Element>
void add_innermost(const Plan& plan, const std::int8_t* input, std::uint32_t lanes, Lanes& sums) noexcept {
    if (plan.reduced[kLast] == 1U) {
        for (std::uint32_t lane = 0U; lane < lanes; ++lane) {
            sums[lane] += load_element<Element>(input, lane);
        }
        return;
    }
    std::int32_t sum = 0;
    for (std::uint32_t i = 0U; i < plan.reduced[kLast]; ++i) {
        sum += load_element<Element>(input, i);
    }
    sums[0] += sum;
}

// `lanes` consecutive outputs; input begins at the first element of the first of them.
template <typename Element>
void compute_lanes(const Plan& plan, const std::int8_t* input, std::uint32_t lanes, std::int8_t* output) noexcept {
    Lanes sums{};
    for (std::size_t i = 0U; i < plan.reduced[0]; ++i) {
        for (std::size_t j = 0U; j < plan.reduced[1]; ++j) {
            for (std::size_t k = 0U; k < plan.reduced[2]; ++k) {
                const std::size_t at = (i * plan.strides[0]) + (j * plan.strides[1]) + (k * plan.strides[2]);
                add_innermost<Element>(plan, input + at, lanes, sums);
            }
        }
    }
    for (std::uint32_t lane = 0U; lane < lanes; ++lane) {
        store_element<Element>(output, lane, plan.range.clamp(plan.scale.apply(sums[lane] - plan.zero_point_sum)));
    }
}

template <typename Element>
void compute(const Arguments& a, const std::int8_t* input, std::int8_t* output) noexcept {
    const Plan plan{a};
    for (std::size_t i = 0U; i < plan.kept[0]; ++i) {
        for (std::size_t j = 0U; j < plan.kept[1]; ++j) {
            for (std::size_t k = 0U; k < plan.kept[2]; ++k) {
                const std::size_t at = (i * plan.strides[0]) + (j * plan.strides[1]) + (k * plan.strides[2]);
                std::uint32_t done = 0U;
                while (done < plan.kept[kLast]) {
                    const std::uint32_t left = plan.kept[kLast] - done;
                    const std::uint32_t lanes = (left < kLanes) ? left : kLanes;
                    compute_lanes<Element>(plan, input + at + (done * sizeof(Element)), lanes, output);
                    output += lanes * sizeof(Element);
                    done += lanes;
                }
            }
        }
    }
}

}  // namespace

Status describe_mean(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<Arguments>, extents, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const std::uint64_t count = reduced_count(a);
    const std::uint64_t elements = bounded_product(a.dims[0], a.dims[1], a.dims[2], a.dims[3]);
    const bool is_int8 = a.type == kTypeInt8;
    const std::uint32_t element_bytes = rescaled_bytes(a.type);
    const bool accepted =
        check.require(is_int8 || (a.type == kTypeInt16), word_of(offsetof(Arguments, type))) &&
        check.require(count <= (is_int8 ? kMaxReduced : kMaxReducedInt16),
                      word_of(offsetof(Arguments, reduced_axes))) &&
        check.require(is_int8 || (a.input_zero_point == 0), word_of(offsetof(Arguments, input_zero_point))) &&
        check.require(is_int8 || (a.output_zero_point == 0), word_of(offsetof(Arguments, output_zero_point))) &&
        check.require(is_aligned_to(a.input, element_bytes), word_of(offsetof(Arguments, input))) &&
        check.require(is_aligned_to(a.output, element_bytes), word_of(offsetof(Arguments, output))) &&
        check.operand(word_of(offsetof(Arguments, input)), bounded_product(elements, element_bytes), Access::kRead) &&
        check.operand(word_of(offsetof(Arguments, output)), bounded_product(elements / count, element_bytes),
                      Access::kWrite) &&
        check.output_placed(word_of(offsetof(Arguments, output)), LaunchCheck::Placement::kApart);
    return check.finish(accepted);
}

void work_mean(WordSpan arguments, Loops /*loops*/, Work& work) noexcept {
    const Arguments a = arguments_from_words<Arguments>(arguments);
    work.operations = bounded_product(a.dims[0], a.dims[1], a.dims[2], a.dims[3]);
    const Plan plan{a};
    const bool is_int8 = a.type == kTypeInt8;
    const bool adds_lanes = plan.reduced[kLast] == 1U;
    const std::uint64_t positions = bounded_product(plan.kept[0], plan.kept[1], plan.kept[2]);
    const std::uint64_t blocks = positions * ((plan.kept[kLast] + (kLanes - 1U)) / kLanes);
    const std::uint64_t lines = blocks * bounded_product(plan.reduced[0], plan.reduced[1]);
    work.turns = {1U,
                  bounded_product(plan.kept[0], plan.kept[1]),
                  positions,
                  blocks,
                  blocks * plan.reduced[0],
                  lines,
                  lines * plan.reduced[2],
                  (adds_lanes && is_int8) ? work.operations : 0U,
                  (adds_lanes && !is_int8) ? work.operations : 0U,
                  (!adds_lanes && is_int8) ? work.operations : 0U,
                  (!adds_lanes && !is_int8) ? work.operations : 0U,
                  positions * plan.kept[kLast]};
}

Status compute_mean(WordSpan arguments, const BoundOperands& bound) noexcept {
    const Arguments a = arguments_from_words<Arguments>(arguments);
    if (a.type == kTypeInt8) {
        compute<std::int8_t>(a, bound.inputs[0], bound.output);
    } else {
        compute<std::int16_t>(a, bound.inputs[0], bound.output);
    }
    return Status::kOk;
}

}  // namespace pianola::refdev
