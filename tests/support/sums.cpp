#include "tests/support/sums.h"

#include <algorithm>

#include "hal/devices/refdev/kernels/arguments.h"

namespace pianola::test {

using capture::BufferId;

capture::Launch launch_of_add(const char* label, BufferId input1, BufferId input2, BufferId output) {
    using Arguments = refdev::BinaryArguments;
    capture::Launch add;
    add.label = label;
    add.kernel = refdev::KernelId::kBinary;
    add.arguments = {0U, 0U, 0U, kSumsBytes, refdev::kTypeInt8, static_cast<std::uint32_t>(refdev::BinaryOp::kAdd)};
    add.operands = {{refdev::word_of(offsetof(Arguments, input1)), input1, 0U, Access::kRead},
                    {refdev::word_of(offsetof(Arguments, input2)), input2, 0U, Access::kRead},
                    {refdev::word_of(offsetof(Arguments, output)), output, 0U, Access::kWrite}};
    return add;
}

capture::Recorder record_sums(const std::vector<std::uint8_t>& first) {
    capture::TensorInfo tensor;
    tensor.shape = {kSumsBytes};
    tensor.name = "x";
    capture::Recorder recorder;
    const BufferId input = recorder.add_input(tensor, kSumsBytes);
    tensor.name = "y";
    const BufferId output = recorder.add_output(tensor, kSumsBytes);
    const BufferId state = recorder.add_state("sums", first);
    const BufferId next = recorder.add_activation("next", kSumsBytes);
    recorder.launch(launch_of_add("0 ADD", state, input, next));
    recorder.copy("1 ASSIGN", state, next, kSumsBytes);
    recorder.copy("2 OUTPUT", output, next, kSumsBytes);
    return recorder;
}

std::vector<std::uint8_t> step_of_sums(const std::vector<std::uint8_t>& input, std::vector<std::uint8_t>& sums) {
    for (std::size_t i = 0U; i < sums.size(); ++i) {
        const int sum = static_cast<std::int8_t>(sums[i]) + static_cast<std::int8_t>(input[i]);
        sums[i] = static_cast<std::uint8_t>(std::clamp(sum, -128, 127));
    }
    return sums;
}

}  // namespace pianola::test
