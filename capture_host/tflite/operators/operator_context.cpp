#include "capture_host/tflite/operators/operator_context.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "capture_host/tflite/model/import_error.h"
#include "pianola/bytes.h"

namespace pianola::tflite {
namespace {

constexpr const char* kScalesOutOfRange = "the ratio of its scales is out of range";

// Integers are little-endian, as the format and the device have them, on every host.

std::vector<std::int64_t> integer_values(const Tensor& tensor) {
    std::vector<std::int64_t> values;
    values.reserve(tensor.elements);
    const std::size_t element_size = tensor.size_bytes / tensor.elements;
    for (std::size_t i = 0U; i < tensor.elements; ++i) {
        const std::uint64_t low = load_le32(tensor.contents, i * element_size);
        const std::uint64_t high =
            (tensor.type == kTypeInt64) ? load_le32(tensor.contents, (i * element_size) + sizeof(std::uint32_t)) : 0U;
        values.push_back((tensor.type == kTypeInt64) ? static_cast<std::int64_t>(low | (high << 32U))
                                                     : static_cast<std::int32_t>(low));
    }
    return values;
}

std::vector<std::int32_t> int32_values(const Tensor& tensor) {
    std::vector<std::int32_t> values;
    values.reserve(tensor.elements);
    for (std::size_t i = 0U; i < tensor.elements; ++i) {
        values.push_back(static_cast<std::int32_t>(load_le32(tensor.contents, i * sizeof(std::int32_t))));
    }
    return values;
}

}  // namespace

void OperatorContext::refuse(const std::string& missing) const {
    throw ImportError(index_, op().name, missing);
}

void OperatorContext::refuse(const std::string& missing, const Tensor& tensor) const {
    throw ImportError(index_, op().name, missing, tensor.name);
}

void OperatorContext::require_inputs(std::size_t min_inputs, std::size_t max_inputs) const {
    if ((op().inputs.size() < min_inputs) || (op().inputs.size() > max_inputs)) {
        refuse(std::to_string(op().inputs.size()) + " inputs are not supported");
    }
}

void OperatorContext::require_outputs(std::size_t outputs) const {
    if (op().outputs.size() != outputs) {
        refuse(std::to_string(op().outputs.size()) + " outputs are not supported; " + std::to_string(outputs) +
               ((outputs == 1U) ? " is" : " are"));
    }
}

const Tensor* OperatorContext::optional_input(std::size_t position) const {
    if ((position >= op().inputs.size()) || (op().inputs[position] == kAbsent)) {
        return nullptr;
    }
    return &model_.tensors[static_cast<std::uint32_t>(op().inputs[position])];
}

std::uint32_t OperatorContext::input_index(std::size_t position, const char* what) const {
    if ((position >= op().inputs.size()) || (op().inputs[position] == kAbsent)) {
        refuse(std::string{"its "} + what + " is missing");
    }
    return static_cast<std::uint32_t>(op().inputs[position]);
}

const Tensor& OperatorContext::input(std::size_t position, const char* what) const {
    return model_.tensors[input_index(position, what)];
}

void OperatorContext::require_quantization(const Tensor& tensor, const char* what) const {
    if (!tensor.quantization_defect.empty()) {
        refuse("'" + tensor.name + "': " + tensor.quantization_defect, tensor);
    }
    if (tensor.quantization.scales.empty()) {
        refuse(std::string{"its "} + what + " has no quantisation", tensor);
    }
}

AnyTensor OperatorContext::any_tensor(std::uint32_t index, const char* what) const {
    const Tensor& tensor = model_.tensors[index];
    if (!tensor.quantization_defect.empty()) {
        refuse("'" + tensor.name + "': " + tensor.quantization_defect, tensor);
    }
    if (tensor.quantization.scales.size() > 1U) {
        refuse(std::string{"more than one scale for its "} + what + " is not supported", tensor);
    }
    const std::uint32_t size_bytes = element_bytes(element_type(tensor.type));
    if (size_bytes == 0U) {
        refuse("'" + tensor.name + "': " + type_name(tensor.type) + " is not supported");
    }
    return AnyTensor{index, &tensor, size_bytes};
}

AnyTensor OperatorContext::any_input(std::size_t position, const char* what) const {
    return any_tensor(input_index(position, what), what);
}

AnyTensor OperatorContext::any_output(std::size_t position) const {
    return any_tensor(static_cast<std::uint32_t>(op().outputs.at(position)), "output");
}

QuantizedTensor OperatorContext::typed_tensor(std::uint32_t index, const char* what, Types types) const {
    const Tensor& tensor = model_.tensors[index];
    if (std::find(types.begin(), types.end(), tensor.type) == types.end()) {
        std::string accepted;
        for (const std::int8_t type : types) {
            accepted += (accepted.empty() ? "" : ", ") + type_name(type);
        }
        refuse(type_name(tensor.type) + " " + what + " is not supported; " + accepted +
                   ((types.size() == 1U) ? " is" : " are"),
               tensor);
    }
    if (!tensor.quantization_defect.empty()) {
        refuse("'" + tensor.name + "': " + tensor.quantization_defect, tensor);
    }
    return QuantizedTensor{index, &tensor, 0.0F, 0};
}

QuantizedTensor OperatorContext::quantized_tensor(std::uint32_t index, const char* what, Types types) const {
    QuantizedTensor result = typed_tensor(index, what, types);
    require_quantization(*result.tensor, what);
    if (result.tensor->quantization.scales.size() != 1U) {
        refuse(std::string{"more than one scale for its "} + what + " is not supported", *result.tensor);
    }
    result.scale = result.tensor->quantization.scales.front();
    result.zero_point = result.tensor->quantization.zero_points.front();
    return result;
}

QuantizedTensor OperatorContext::symmetric_int16(const QuantizedTensor& tensor, const char* what) const {
    if ((tensor.tensor->type == kTypeInt16) && (tensor.zero_point != 0)) {
        refuse("a zero point of its " + std::string{what} + " is not supported with int16");
    }
    return tensor;
}

Int8Tensor OperatorContext::int8_input(std::size_t position, const char* what) const {
    return quantized_input(position, what, {kTypeInt8});
}

Int8Tensor OperatorContext::int8_output() const {
    return quantized_output({kTypeInt8});
}

const Tensor& OperatorContext::int8_weights(std::size_t position, const char* what) const {
    const Tensor& tensor = input(position, what);
    if (tensor.type != kTypeInt8) {
        refuse(type_name(tensor.type) + " " + what + " is not supported; int8 is", tensor);
    }
    require_quantization(tensor, what);
    return tensor;
}

const Tensor& OperatorContext::int8_constant(std::size_t position, const char* what) const {
    const Tensor& tensor = int8_weights(position, what);
    if (!tensor.is_constant) {
        refuse(std::string{"a computed "} + what + " is not supported; a constant is", tensor);
    }
    return tensor;
}

std::vector<std::int32_t> OperatorContext::int32_constant(std::size_t position, const char* what,
                                                          std::uint32_t max_elements) const {
    const Tensor& tensor = input(position, what);
    if (tensor.shape.size() > 1U) {
        refuse(std::string{"its "} + what + " has rank " + std::to_string(tensor.shape.size()) + "; 1 is supported",
               tensor);
    }
    return int32_elements(position, what, max_elements);
}

std::vector<std::int32_t> OperatorContext::int32_pairs(std::size_t position, const char* what,
                                                       std::uint32_t max_rows) const {
    const Tensor& tensor = input(position, what);
    if ((tensor.shape.size() != 2U) || (tensor.shape.back() != 2U)) {
        refuse(std::string{"its "} + what + " has another shape than [n, 2]", tensor);
    }
    return int32_elements(position, what, 2U * max_rows);
}

std::vector<std::int32_t> OperatorContext::int32_elements(std::size_t position, const char* what,
                                                          std::uint32_t max_elements) const {
    const Tensor& tensor = *typed_input(position, what, {kTypeInt32}).tensor;
    if (!tensor.is_constant) {
        refuse(std::string{"a computed "} + what + " is not supported; a constant is", tensor);
    }
    if (tensor.elements > max_elements) {
        refuse(std::string{"its "} + what + " has " + std::to_string(tensor.elements) + " elements, which is too many",
               tensor);
    }
    return int32_values(tensor);
}

std::vector<std::int64_t> OperatorContext::bias(std::uint32_t channels, std::uint32_t sum_bytes,
                                                std::size_t position) const {
    require((table_bytes_ + (std::uint64_t{refdev::kWideChannelParametersBytes} * channels)) <= kMaxTableBytes,
            "the model has too many channels");
    if (optional_input(position) == nullptr) {
        return std::vector<std::int64_t>(channels, 0);
    }
    const Tensor& tensor =
        *typed_input(position, "bias", {(sum_bytes == refdev::kWideSumBytes) ? kTypeInt64 : kTypeInt32}).tensor;
    require(tensor.is_constant, "a computed bias is not supported; a constant is");
    if (tensor.shape.size() != 1U) {
        refuse("its bias has rank " + std::to_string(tensor.shape.size()) + "; 1 is supported", tensor);
    }
    require(tensor.elements == channels, "the size of its bias differs from its channels");
    return integer_values(tensor);
}

void OperatorContext::require_bias_scales(std::size_t position, float input_scale,
                                          const std::vector<float>& weight_scales) const {
    constexpr double kMaxError = 0.01;  // relative; those of converters are below 1e-6
    const Tensor* const bias = optional_input(position);
    if ((bias == nullptr) || bias->quantization.scales.empty()) {
        return;
    }
    const std::vector<float>& scales = bias->quantization.scales;
    const std::size_t count = std::max(scales.size(), weight_scales.size());
    for (std::size_t i = 0U; i < count; ++i) {
        const bool is_single = scales.size() == 1U;
        const bool has_one_weight_scale = weight_scales.size() == 1U;
        if ((!is_single && (scales.size() != count)) || (!has_one_weight_scale && (weight_scales.size() != count))) {
            refuse("the number of its bias's scales differs from that of its weights", *bias);
        }
        const double exact = static_cast<double>(input_scale) *
                             static_cast<double>(has_one_weight_scale ? weight_scales.front() : weight_scales[i]);
        const double stored = static_cast<double>(is_single ? scales.front() : scales[i]);
        if (!(std::fabs(stored - exact) <= (exact * kMaxError))) {
            refuse("the scale of its bias differs from input scale times filter scale", *bias);
        }
    }
}

void OperatorContext::require_bias_type(std::size_t position, std::int8_t option, std::uint32_t sum_bytes) const {
    const Tensor* const bias = optional_input(position);
    const std::int8_t without = (sum_bytes == refdev::kWideSumBytes) ? kTypeInt64 : kTypeInt32;
    const std::int8_t type = (bias == nullptr) ? without : bias->type;
    if ((option != 0) && (option != type)) {
        refuse("its quantized_bias_type " + type_name(option) + " differs from its bias, which is " + type_name(type));
    }
}

void OperatorContext::require_count(const char* option, std::int32_t value, std::size_t operands,
                                    const char* what) const {
    if (std::int64_t{value} != static_cast<std::int64_t>(operands)) {
        refuse(std::string{"its "} + option + " " + std::to_string(value) + " differs from its " +
               std::to_string(operands) + " " + what);
    }
}

void OperatorContext::require_type(const char* option, std::int8_t value, const Tensor& tensor) const {
    if ((value != 0) && (value != tensor.type)) {
        refuse(std::string{"its "} + option + " " + type_name(value) + " differs from '" + tensor.name +
                   "', which is " + type_name(tensor.type),
               tensor);
    }
}

void OperatorContext::require_same_quantization(const Int8Tensor& a, const Int8Tensor& b) const {
    require((a.scale == b.scale) && (a.zero_point == b.zero_point),
            "different quantisation of input and output is not supported");
}

void OperatorContext::require_same_elements(const AnyTensor& a, const AnyTensor& b) const {
    if (a.tensor->type != b.tensor->type) {
        refuse(type_name(a.tensor->type) + " to " + type_name(b.tensor->type) + " is not supported; one type is");
    }
    require((a.tensor->quantization.scales == b.tensor->quantization.scales) &&
                (a.tensor->quantization.zero_points == b.tensor->quantization.zero_points),
            "different quantisation of input and output is not supported");
}

void OperatorContext::require_stored_same_quantization(const QuantizedTensor& a, const QuantizedTensor& b) const {
    require((a.tensor->quantization.scales == b.tensor->quantization.scales) &&
                (a.tensor->quantization.zero_points == b.tensor->quantization.zero_points),
            "different quantisation of input and output is not supported");
}

ActivationRange OperatorContext::clamp_range(std::int8_t activation, const QuantizedTensor& output) const {
    constexpr std::array<const char*, 6> kNames{"NONE", "RELU", "RELU_N1_TO_1", "RELU6", "TANH", "SIGN_BIT"};
    const std::string name = ((activation >= 0) && (static_cast<std::size_t>(activation) < kNames.size()))
                                 ? kNames.at(static_cast<std::size_t>(activation))
                                 : std::to_string(static_cast<int>(activation));
    if ((activation < 0) || (activation > static_cast<std::int8_t>(Activation::kRelu6))) {
        refuse("fused activation " + name + " is not supported; RELU, RELU_N1_TO_1 and RELU6 are");
    }
    const std::optional<ActivationRange> range = operators::activation_range(
        activation, output.scale, output.zero_point, operators::full_range(output.kernel_type()));
    if (!range.has_value()) {
        refuse("fused activation " + name + " is not supported with this output scale");
    }
    return *range;
}

capture::BufferId OperatorContext::input_buffer(std::size_t position) const {
    return graph_.buffer_of(input_index(position, "operand"));
}

capture::BufferId OperatorContext::add_temporary(std::uint32_t size_bytes) {
    return graph_.add_temporary("inside operator " + std::to_string(index_), size_bytes);
}

void OperatorContext::copy(capture::BufferId destination, capture::BufferId source, std::uint32_t size_bytes) {
    recorder_.copy(std::to_string(index_) + " " + op().name, destination, source, size_bytes);
}

capture::BufferId OperatorContext::add_table(const char* what, std::vector<std::uint8_t> contents) {
    table_bytes_ += contents.size();
    require(table_bytes_ <= kMaxTableBytes, "the tables of all operators take too many bytes");
    return recorder_.add_constant(std::string{what} + " of operator " + std::to_string(index_), std::move(contents));
}

capture::BufferId OperatorContext::add_channel_table(const std::optional<ChannelTable>& table,
                                                     std::uint32_t sum_bytes) {
    if (!table.has_value() || ((sum_bytes == refdev::kWideSumBytes) && !operators::fits_wide_sums(*table))) {
        refuse(kScalesOutOfRange);
    }
    return add_table("channels", operators::bytes_of(*table, sum_bytes));
}

capture::BufferId OperatorContext::add_byte_table(const std::optional<ByteTable>& table) {
    return add_table("table", operators::bytes_of(in_range(table)));
}

void OperatorContext::record(refdev::KernelId kernel, std::vector<std::uint32_t> words,
                             const std::vector<AddressWord>& addresses) {
    require(recorder_.launches().size() < kMaxLaunches, "a model of so many launches is not supported");
    capture::Launch launch;
    launch.label = std::to_string(index_) + " " + op().name;
    launch.kernel = kernel;
    launch.arguments = std::move(words);
    for (const AddressWord& address : addresses) {
        launch.operands.push_back(capture::Operand{refdev::word_of(address.member_offset), address.buffer,
                                                   address.offset_bytes, address.access});
    }
    recorder_.launch(std::move(launch));
}

}  // namespace pianola::tflite
