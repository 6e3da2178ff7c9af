#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/broadcast.h"
#include "hal/devices/refdev/kernels/inner_loops.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/launch_check.h"

namespace pianola::refdev {
namespace {

using Arguments = AddArguments;

constexpr std::uint64_t kOperationsPerElement = 4U;

// The innermost dimension. A stride is 0 or 1 here.
void add_run(const AddPlan& plan, const std::int8_t* input1, std::uint32_t stride1, const std::int8_t* input2,
             std::uint32_t stride2, std::int8_t* output, std::uint32_t count) noexcept {
    if ((stride1 != 0U) && (stride2 != 0U)) {
        add_elements(plan, input1, input2, output, count);
        return;
    }
    std::size_t at1 = 0U;
    std::size_t at2 = 0U;
    for (std::uint32_t i = 0U; i < count; ++i) {
        output[i] = plan.element(input1[at1], input2[at2]);
        at1 += stride1;
        at2 += stride2;
    }
}

}  // namespace

Status describe_add(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<Arguments>, extents, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const BroadcastShape shape1 = broadcast_shape(a.dims, a.strides1);
    const BroadcastShape shape2 = broadcast_shape(a.dims, a.strides2);
    const std::uint64_t output_bytes = bounded_product(a.dims[0], a.dims[1], a.dims[2], a.dims[3]);
    const bool accepted =
        check.require(shape1.wrong_dimension == kBroadcastRank,
                      word_of(offsetof(Arguments, strides1)) + shape1.wrong_dimension) &&
        check.require(shape2.wrong_dimension == kBroadcastRank,
                      word_of(offsetof(Arguments, strides2)) + shape2.wrong_dimension) &&
        check.require(a.activation_min <= a.activation_max, word_of(offsetof(Arguments, activation_min))) &&
        check.operand(word_of(offsetof(Arguments, input1)), shape1.elements, Access::kRead) &&
        check.operand(word_of(offsetof(Arguments, input2)), shape2.elements, Access::kRead) &&
        check.operand(word_of(offsetof(Arguments, output)), output_bytes, Access::kWrite) &&
        check.output_placed(word_of(offsetof(Arguments, output)), LaunchCheck::Placement::kApartOrInPlace);
    return check.finish(accepted);
}

void work_add(WordSpan arguments, Loops loops, Work& work) noexcept {
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const BroadcastTurns turns{a.dims};
    work.operations = kOperationsPerElement * turns.elements;
    const bool is_dense = (a.strides1[3] != 0U) && (a.strides2[3] != 0U);
    const bool has_vectors = is_dense && (loops == Loops::kMve);
    work.turns = {1U,
                  turns.outer,
                  turns.middle,
                  turns.runs,
                  (is_dense && !has_vectors) ? turns.elements : 0U,
                  is_dense ? 0U : turns.elements,
                  has_vectors ? (turns.runs * (a.dims[3] / kAddLanes)) : 0U,
                  (has_vectors && ((a.dims[3] % kAddLanes) != 0U)) ? turns.runs : 0U};
}

Status compute_add(WordSpan arguments, const BoundOperands& bound) noexcept {
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const std::int8_t* const input1 = bound.inputs[0];
    const std::int8_t* const input2 = bound.inputs[1];
    std::int8_t* output = bound.output;
    const AddPlan plan{a};
    for_each_run(a.dims, [&](const BroadcastRun& run) {
        add_run(plan, input1 + run.start(a.strides1), a.strides1[3], input2 + run.start(a.strides2), a.strides2[3],
                output, a.dims[3]);
        output += a.dims[3];
    });
    return Status::kOk;
}

}  // namespace pianola::refdev
