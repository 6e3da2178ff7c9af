#include "capture_host/capture/expected.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "pianola_host/manifest.h"

namespace pianola::capture {
namespace {

using replay::Tensors;

constexpr std::uint32_t kHalf = 16U;  // bits of a bfloat16 are the upper half of a float's

template <typename Number>
Number number_from(ByteSpan element) {
    Number number{};
    std::memcpy(&number, element.data(), sizeof(number));
    return number;
}

std::string float_text(std::uint32_t bits, std::uint32_t shown, int digits) {
    float value = 0.0F;
    std::memcpy(&value, &bits, sizeof(value));
    return fmt::format("{:.9g} (0x{:0{}X})", value, shown, digits);
}

void require_sizes(const Tensors& given, const Tensors& wanted, const char* what) {
    const bool are_equal =
        std::equal(given.begin(), given.end(), wanted.begin(), wanted.end(),
                   [](const auto& some, const auto& others) { return some.size() == others.size(); });
    if (!are_equal) {
        throw std::invalid_argument{fmt::format("expected {} of other sizes than the binary's", what)};
    }
}

// Compares an output of one inference.
class Comparison {
  public:
    explicit Comparison(const replay::Replay& trial) : trial_{trial} {}

    void compare(std::size_t inference, const Tensors& expected, const Tensors& got) {
        const std::uint64_t before = differing_;
        for (std::size_t output = 0U; output < expected.size(); ++output) {
            compare_output(inference, static_cast<std::uint32_t>(output), expected[output], got[output]);
        }
        inferences_ += (differing_ != before) ? 1U : 0U;
    }

    void finish(std::size_t inferences) {
        if (differing_ == 0U) {
            return;
        }
        first_.differing_in_all = differing_;
        first_.differing_inferences = inferences_;
        first_.inferences = inferences;
        first_.has_state = trial_.has_state();
        throw NotAsExpected{first_};
    }

  private:
    void compare_output(std::size_t inference, std::uint32_t output, const std::vector<std::uint8_t>& expected,
                        const std::vector<std::uint8_t>& got) {
        const TensorView tensor = trial_.image().output(output);
        // The binary was validated, so its types are known.
        const std::size_t bytes = std::max<std::size_t>(element_bytes(tensor.type), 1U);
        const std::optional<TensorDifference> difference = compare_tensors(expected, got, bytes);
        if (!difference.has_value()) {
            return;
        }
        if (differing_ == 0U) {
            first_.inference = inference;
            first_.output = output;
            first_.tensor = to_string(tensor.name);
            first_.type = tensor.type;
            first_.element = difference->element;
            first_.expected = element_text(tensor.type, {&expected[difference->element * bytes], bytes});
            first_.got = element_text(tensor.type, {&got[difference->element * bytes], bytes});
            first_.differing = difference->differing;
            first_.elements = expected.size() / bytes;
        }
        differing_ += difference->differing;
    }

    const replay::Replay& trial_;
    OutputDifference first_;
    std::uint64_t differing_{0U};
    std::uint64_t inferences_{0U};
};

}  // namespace

NotAsExpected::NotAsExpected(const OutputDifference& difference)
    : std::runtime_error{fmt::format("inference {}, output {} '{}', element {}: {} was expected, the binary gives {}",
                                     difference.inference, difference.output, difference.tensor, difference.element,
                                     difference.expected, difference.got)},
      difference_{difference} {}

std::optional<TensorDifference> compare_tensors(const std::vector<std::uint8_t>& expected,
                                                const std::vector<std::uint8_t>& got, std::size_t element_bytes) {
    TensorDifference difference;
    for (std::uint64_t i = 0U; i < (expected.size() / element_bytes); ++i) {
        const auto first = expected.begin() + static_cast<std::ptrdiff_t>(i * element_bytes);
        const auto other = got.begin() + static_cast<std::ptrdiff_t>(i * element_bytes);
        if (!std::equal(first, first + static_cast<std::ptrdiff_t>(element_bytes), other)) {
            difference.element = (difference.differing == 0U) ? i : difference.element;
            difference.differing += 1U;
        }
    }
    return (difference.differing == 0U) ? std::nullopt : std::optional{difference};
}

std::string element_text(ElementType type, ByteSpan element) {
    constexpr int kFloatDigits = 8;
    constexpr int kHalfDigits = 4;
    switch (type) {
        case ElementType::kInt8:
            return std::to_string(number_from<std::int8_t>(element));
        case ElementType::kUint8:
        case ElementType::kBool:
            return std::to_string(number_from<std::uint8_t>(element));
        case ElementType::kInt16:
            return std::to_string(number_from<std::int16_t>(element));
        case ElementType::kUint16:
            return std::to_string(number_from<std::uint16_t>(element));
        case ElementType::kInt32:
            return std::to_string(number_from<std::int32_t>(element));
        case ElementType::kUint32:
            return std::to_string(number_from<std::uint32_t>(element));
        case ElementType::kFloat32:
            return float_text(number_from<std::uint32_t>(element), number_from<std::uint32_t>(element), kFloatDigits);
        case ElementType::kBfloat16: {
            const std::uint32_t bits = number_from<std::uint16_t>(element);
            return float_text(bits << kHalf, bits, kHalfDigits);
        }
        case ElementType::kUnspecified:
        default:
            return "?";
    }
}

void compare_expected(replay::Replay& trial, const std::vector<ExpectedInference>& expected) {
    std::vector<Tensors> inputs;
    for (const ExpectedInference& inference : expected) {
        require_sizes(inference.inputs, trial.empty_inputs(), "inputs");
        require_sizes(inference.outputs, trial.empty_outputs(), "outputs");
        inputs.push_back(inference.inputs);
    }
    const std::vector<Tensors> got = trial.run(inputs);
    Comparison comparison{trial};
    for (std::size_t i = 0U; i < expected.size(); ++i) {
        comparison.compare(i, expected[i].outputs, got[i]);
    }
    comparison.finish(expected.size());
}

}  // namespace pianola::capture
