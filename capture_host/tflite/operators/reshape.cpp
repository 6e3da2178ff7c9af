#include "capture_host/tflite/operators/operators.h"

namespace pianola::tflite {

void lower_reshape(OperatorContext& context) {
    context.require_operands(1U, 2U);
    const AnyTensor input = context.any_input(0U, "input");
    const AnyTensor output = context.any_output(0U);
    context.require(input.tensor->elements == output.tensor->elements, "its input and output differ in size");
    context.require_same_elements(input, output);
}

}  // namespace pianola::tflite
