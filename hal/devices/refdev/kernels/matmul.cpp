// Matrix products.
#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/arithmetic.h"
#include "hal/devices/refdev/kernels/elements.h"
#include "hal/devices/refdev/kernels/fixed_point.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/launch_check.h"
#include "hal/devices/refdev/kernels/turns.h"

namespace pianola::refdev {
namespace {

constexpr std::uint32_t kColumnBlock = 32U;  // sums that are kept together; 128 bytes of stack

using Sums = std::array<std::int32_t, kColumnBlock>;

// Columns [first, first + columns) of one row of c. `a` and `c` begin at the row.
template <typename Element>
void compute_block(const MatmulArguments& args, const std::int8_t* a, const std::int8_t* b, std::int8_t* c,
                   std::size_t first, std::uint32_t columns) noexcept {
    Sums sums{};
    for (std::uint32_t j = 0U; (args.accumulate != 0U) && (j < columns); ++j) {
        sums[j] = load_element<std::int32_t>(c, first + j);
    }
    for (std::size_t i = 0U; i < args.k; ++i) {
        const std::int32_t factor = load_element<Element>(a, i);
        const std::int8_t* const row = b + (((i * args.n) + first) * sizeof(Element));
        for (std::uint32_t j = 0U; j < columns; ++j) {
            sums[j] = wrapping_add(sums[j], wrapping_multiply(factor, load_element<Element>(row, j)));
        }
    }
    for (std::uint32_t j = 0U; j < columns; ++j) {
        store_element<std::int32_t>(c, first + j, sums[j]);
    }
}

template <typename Element>
void compute(const MatmulArguments& args, const BoundOperands& bound) noexcept {
    const std::int8_t* a = bound.inputs[0];
    std::int8_t* c = bound.output;
    for (std::uint32_t row = 0U; row < args.m; ++row) {
        std::uint32_t first = 0U;
        while (first < args.n) {
            const std::uint32_t left = args.n - first;
            const std::uint32_t columns = (left < kColumnBlock) ? left : kColumnBlock;
            compute_block<Element>(args, a, bound.inputs[1], c, first, columns);
            first += columns;
        }
        a += args.k * sizeof(Element);
        c += args.n * sizeof(std::int32_t);
    }
}

}  // namespace

Status describe_matmul(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<MatmulArguments>, extents, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const MatmulArguments a = arguments_from_words<MatmulArguments>(arguments);
    const std::uint32_t element_bytes = type_bytes(a.type);
    const std::uint64_t c_bytes = bounded_product(a.m, a.n, static_cast<std::uint32_t>(sizeof(std::int32_t)));
    // c is checked before it is published again: it may overlap only itself.
    const bool accepted =
        check.require(element_bytes != 0U, word_of(offsetof(MatmulArguments, type))) &&
        check.require((a.type != kTypeInt8) || (a.k <= kMaxTaps), word_of(offsetof(MatmulArguments, k))) &&
        check.require(is_aligned(a.a, a.type), word_of(offsetof(MatmulArguments, a))) &&
        check.require(is_aligned(a.b, a.type), word_of(offsetof(MatmulArguments, b))) &&
        check.require(is_aligned(a.c, kTypeInt32), word_of(offsetof(MatmulArguments, c))) &&
        check.operand(word_of(offsetof(MatmulArguments, a)), bounded_product(a.m, a.k, element_bytes), Access::kRead) &&
        check.operand(word_of(offsetof(MatmulArguments, b)), bounded_product(a.k, a.n, element_bytes), Access::kRead) &&
        check.operand(word_of(offsetof(MatmulArguments, c)), c_bytes, Access::kWrite) &&
        check.output_placed(word_of(offsetof(MatmulArguments, c)), LaunchCheck::Placement::kApart) &&
        ((a.accumulate == 0U) || check.operand(word_of(offsetof(MatmulArguments, c)), c_bytes, Access::kRead));
    return check.finish(accepted);
}

void work_matmul(WordSpan arguments, Loops /*loops*/, Work& work) noexcept {
    const MatmulArguments a = arguments_from_words<MatmulArguments>(arguments);
    const std::uint64_t outputs = bounded_product(a.m, a.n);
    const std::uint64_t blocks = a.m * blocks_of(a.n, kColumnBlock);
    const bool is_short = a.type == kTypeInt8;
    work.operations = outputs * a.k;
    work.turns = {1U,
                  a.m,
                  blocks,
                  outputs,
                  turns_if(a.accumulate != 0U, blocks),
                  turns_if(a.accumulate != 0U, outputs),
                  turns_if(is_short, blocks * a.k),
                  turns_if(is_short, outputs * a.k),
                  turns_if(!is_short, blocks * a.k),
                  turns_if(!is_short, outputs * a.k)};
}

Status compute_matmul(WordSpan arguments, const BoundOperands& bound) noexcept {
    const MatmulArguments a = arguments_from_words<MatmulArguments>(arguments);
    if (a.type == kTypeInt8) {
        compute<std::int8_t>(a, bound);
    } else {
        compute<std::int32_t>(a, bound);
    }
    return Status::kOk;
}

namespace {

constexpr std::uint32_t kInt16Bytes = sizeof(std::int16_t);

// At most kMaxTaps products of 2^30: below 2^47, which WideScale takes.
[[nodiscard]] std::int64_t sum_of_products(const std::int8_t* left, const std::int8_t* right,
                                           std::uint32_t depth) noexcept {
    std::int64_t sum = 0;
    for (std::uint32_t i = 0U; i < depth; ++i) {
        sum += std::int64_t{load_element<std::int16_t>(left, i)} * load_element<std::int16_t>(right, i);
    }
    return sum;
}

}  // namespace

Status describe_matmul_int16(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<MatmulInt16Arguments>, extents, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const MatmulInt16Arguments a = arguments_from_words<MatmulInt16Arguments>(arguments);
    const std::uint32_t left_word = word_of(offsetof(MatmulInt16Arguments, left));
    const std::uint32_t right_word = word_of(offsetof(MatmulInt16Arguments, right));
    const std::uint32_t output_word = word_of(offsetof(MatmulInt16Arguments, output));
    const std::uint64_t elements = bounded_product(a.rows, a.columns);
    const bool accepted = check.require(is_aligned_to(a.left, kInt16Bytes), left_word) &&
                          check.require(is_aligned_to(a.right, kInt16Bytes), right_word) &&
                          check.require(is_aligned_to(a.output, kInt16Bytes), output_word) &&
                          check.operand(left_word, bounded_product(a.rows, a.depth, kInt16Bytes), Access::kRead) &&
                          check.operand(right_word, bounded_product(a.columns, a.depth, kInt16Bytes), Access::kRead) &&
                          check.operand(output_word, bounded_product(elements, kInt16Bytes), Access::kWrite) &&
                          check.output_placed(output_word, LaunchCheck::Placement::kApart);
    return check.finish(accepted);
}

void work_matmul_int16(WordSpan arguments, Loops /*loops*/, Work& work) noexcept {
    const MatmulInt16Arguments a = arguments_from_words<MatmulInt16Arguments>(arguments);
    const std::uint64_t outputs = bounded_product(a.rows, a.columns);
    work.operations = outputs * a.depth;
    work.turns = {1U, a.rows, outputs, outputs * a.depth};
}

Status compute_matmul_int16(WordSpan arguments, const BoundOperands& bound) noexcept {
    const MatmulInt16Arguments a = arguments_from_words<MatmulInt16Arguments>(arguments);
    const WideScale scale{a.multiplier, a.shift};
    const std::size_t row_bytes = std::size_t{a.depth} * kInt16Bytes;
    const std::int8_t* left = bound.inputs[0];
    std::size_t index = 0U;
    for (std::uint32_t row = 0U; row < a.rows; ++row) {
        const std::int8_t* right = bound.inputs[1];
        for (std::uint32_t column = 0U; column < a.columns; ++column) {
            const std::int32_t scaled = scale.apply(sum_of_products(left, right, a.depth));
            store_element<std::int16_t>(bound.output, index, clamp_to(scaled, INT16_MIN, INT16_MAX));
            index += 1U;
            right += row_bytes;
        }
        left += row_bytes;
    }
    return Status::kOk;
}

}  // namespace pianola::refdev
