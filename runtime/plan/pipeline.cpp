#include "runtime/plan/script_rules.h"

namespace pianola::proof {

bool check_pipeline(Context& context, const NamedObjects& prologue_inputs,
                    const NamedObjects& epilogue_outputs) noexcept {
    const Plan& plan = context.plan;
    const std::uint32_t input =
        first_missing(Span<const PlannedTensor>{plan.inputs.data(), plan.input_count}, prologue_inputs);
    const std::uint32_t output =
        first_missing(Span<const PlannedTensor>{plan.outputs.data(), plan.output_count}, epilogue_outputs);
    enter_root(context, Field::kScripts);
    return (!plan.is_pipelined || ((input == plan.input_count) && (output == plan.output_count)))
               ? true
               : refuse_at(context, Rule::kScrPipeline, Field::kNone, input, output);
}

}  // namespace pianola::proof
