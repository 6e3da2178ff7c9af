#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/arithmetic.h"
#include "hal/devices/refdev/kernels/elements.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/launch_check.h"

namespace pianola::refdev {
namespace {

using Arguments = MatmulArguments;

constexpr std::uint32_t kColumnBlock = 32U;  // sums that are kept together; 128 bytes of stack

constexpr ArgumentRules<Arguments> kRules = rules_of<Arguments>();

using Sums = std::array<std::int32_t, kColumnBlock>;

// Columns [first, first + columns) of one row of c. `a` and `c` begin at the row.
template <typename Element>
void compute_block(const Arguments& args, const std::int8_t* a, const std::int8_t* b, std::int8_t* c, std::size_t first,
                   std::uint32_t columns) noexcept {
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
void compute(const Arguments& args, const BoundOperands& bound) noexcept {
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

Status describe_matmul(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules, footprint, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const std::uint32_t element_bytes = type_bytes(a.type);
    const std::uint64_t c_bytes = bounded_product(a.m, a.n, static_cast<std::uint32_t>(sizeof(std::int32_t)));
    // c is checked before it is published again: it may overlap only itself.
    const bool accepted =
        check.require(element_bytes != 0U, word_of(offsetof(Arguments, type))) &&
        check.require((a.type != kTypeInt8) || (a.k <= kMaxTaps), word_of(offsetof(Arguments, k))) &&
        check.require(is_aligned(a.a, a.type), word_of(offsetof(Arguments, a))) &&
        check.require(is_aligned(a.b, a.type), word_of(offsetof(Arguments, b))) &&
        check.require(is_aligned(a.c, kTypeInt32), word_of(offsetof(Arguments, c))) &&
        check.operand(word_of(offsetof(Arguments, a)), bounded_product(a.m, a.k, element_bytes), Access::kRead) &&
        check.operand(word_of(offsetof(Arguments, b)), bounded_product(a.k, a.n, element_bytes), Access::kRead) &&
        check.operand(word_of(offsetof(Arguments, c)), c_bytes, Access::kWrite) &&
        check.output_placed(word_of(offsetof(Arguments, c)), LaunchCheck::Placement::kApart) &&
        ((a.accumulate == 0U) || check.operand(word_of(offsetof(Arguments, c)), c_bytes, Access::kRead));
    return check.finish(accepted, (c_bytes / sizeof(std::int32_t)) * a.k);
}

Status compute_matmul(WordSpan arguments, const BoundOperands& bound) noexcept {
    const Arguments a = arguments_from_words<Arguments>(arguments);
    if (a.type == kTypeInt8) {
        compute<std::int8_t>(a, bound);
    } else {
        compute<std::int32_t>(a, bound);
    }
    return Status::kOk;
}

}  // namespace pianola::refdev
