#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/arithmetic.h"
#include "hal/devices/refdev/kernels/elements.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/launch_check.h"

namespace pianola::refdev {
namespace {

using Arguments = ReduceArguments;

// The input as results of `terms` elements each: elements of one result lie `term_step` apart, results `result_step`.
struct Plan {
    std::uint32_t results;
    std::uint32_t terms;
    std::size_t result_step;
    std::size_t term_step;

    explicit Plan(const Arguments& a) noexcept
        : results{(a.axis == 0U) ? a.columns : a.rows},
          terms{(a.axis == 0U) ? a.rows : a.columns},
          result_step{(a.axis == 0U) ? 1U : a.columns},
          term_step{(a.axis == 0U) ? a.columns : 1U} {}
};

// Result of the terms so far; for an extremum also the index of its term.
struct Result {
    std::int32_t value;
    std::uint32_t place;
};

void combine(ReduceOp op, std::int32_t element, std::uint32_t term, Result& result) noexcept {
    bool replaces = false;
    switch (op) {
        case ReduceOp::kMaximum:
        case ReduceOp::kArgMaximum:
            replaces = element > result.value;
            break;
        case ReduceOp::kMinimum:
        case ReduceOp::kArgMinimum:
            replaces = element < result.value;
            break;
        case ReduceOp::kUnspecified:
        case ReduceOp::kSum:
        default:
            result.value = wrapping_add(result.value, element);
            break;
    }
    if (replaces) {
        result = Result{element, term};
    }
}

template <typename Element>
void compute(const Arguments& a, const std::int8_t* input, std::int8_t* output) noexcept {
    const Plan plan{a};
    const bool gives_place = (a.op == ReduceOp::kArgMaximum) || (a.op == ReduceOp::kArgMinimum);
    for (std::size_t i = 0U; i < plan.results; ++i) {
        std::size_t at = i * plan.result_step;
        Result result{load_element<Element>(input, at), 0U};
        for (std::uint32_t term = 1U; term < plan.terms; ++term) {
            at += plan.term_step;
            combine(a.op, load_element<Element>(input, at), term, result);
        }
        store_element<std::int32_t>(output, i, gives_place ? static_cast<std::int32_t>(result.place) : result.value);
    }
}

}  // namespace

Status describe_reduce(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<Arguments>, extents, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const std::uint32_t element_bytes = type_bytes(a.type);
    const bool accepted =
        check.require(element_bytes != 0U, word_of(offsetof(Arguments, type))) &&
        check.require(is_aligned(a.input, a.type), word_of(offsetof(Arguments, input))) &&
        check.require(is_aligned(a.output, kTypeInt32), word_of(offsetof(Arguments, output))) &&
        check.operand(word_of(offsetof(Arguments, input)), bounded_product(a.rows, a.columns, element_bytes),
                      Access::kRead) &&
        check.operand(word_of(offsetof(Arguments, output)),
                      bounded_product(Plan{a}.results, static_cast<std::uint32_t>(sizeof(std::int32_t))),
                      Access::kWrite) &&
        check.output_placed(word_of(offsetof(Arguments, output)), LaunchCheck::Placement::kApart);
    return check.finish(accepted);
}

void work_reduce(WordSpan arguments, Loops /*loops*/, Work& work) noexcept {
    const Arguments a = arguments_from_words<Arguments>(arguments);
    work.operations = std::uint64_t{a.rows} * a.columns;
    const Plan plan{a};
    const std::size_t type = (a.type == kTypeInt8) ? 0U : 1U;
    const std::size_t op =
        (a.op == ReduceOp::kSum) ? 0U : (((a.op == ReduceOp::kMaximum) || (a.op == ReduceOp::kArgMaximum)) ? 1U : 2U);
    work.turns[0] = 1U;
    work.turns[1U + type] = plan.results;
    work.turns[3U + (2U * op) + type] = work.operations - plan.results;
}

Status compute_reduce(WordSpan arguments, const BoundOperands& bound) noexcept {
    const Arguments a = arguments_from_words<Arguments>(arguments);
    if (a.type == kTypeInt8) {
        compute<std::int8_t>(a, bound.inputs[0], bound.output);
    } else {
        compute<std::int32_t>(a, bound.inputs[0], bound.output);
    }
    return Status::kOk;
}

}  // namespace pianola::refdev
