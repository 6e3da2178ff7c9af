#include "capture_host/tflite/model/reader.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "capture_host/tflite/model/import_error.h"
#include "capture_host/tflite/model/outside_buffers.h"
#include "capture_host/tflite/model/printable.h"
#include "capture_host/tflite/model/verifier.h"
#include "pianola/config.h"
#include "tflite_subset_generated.h"

namespace pianola::tflite {
namespace {

constexpr std::uint32_t kFormatVersion = 3U;
constexpr flatbuffers::uoffset_t kVerifierDepth = 16U;
constexpr flatbuffers::uoffset_t kVerifierTables = 262'144U;

std::string read_shape(const format::Tensor& source, std::uint32_t element_size, Tensor& tensor) {
    std::uint64_t elements = 1U;
    if (source.shape() != nullptr) {
        if (source.shape()->size() > kMaxRank) {
            return "more than " + std::to_string(kMaxRank) + " dimensions are not supported";
        }
        for (const std::int32_t dimension : *source.shape()) {
            if (dimension < 0) {
                return "dynamic dimensions are not supported";
            }
            if (dimension == 0) {
                tensor.is_empty = true;
                return "empty tensors are not supported";
            }
            // At most 2^26 * 2^31 before the check: no overflow.
            elements *= static_cast<std::uint64_t>(dimension);
            if (elements > (kMaxTensorBytes / element_size)) {
                return "tensors above " + std::to_string(kMaxTensorBytes) + " bytes are not supported";
            }
            tensor.shape.push_back(static_cast<std::uint32_t>(dimension));
        }
    }
    tensor.elements = static_cast<std::uint32_t>(elements);
    tensor.size_bytes = tensor.elements * element_size;
    return {};
}

// A verified file.
struct Source {
    Span<const std::uint8_t> file;
    const format::Model& model;
};

std::string read_contents(const format::Tensor& stored, const Source& source, Tensor& tensor) {
    std::string external = external_defect(source.model, stored);
    if (!external.empty()) {
        return external;
    }
    const std::uint32_t index = stored.buffer();
    if (index == 0U) {
        return {};
    }
    if ((source.model.buffers() == nullptr) || (index >= source.model.buffers()->size())) {
        return "its buffer " + std::to_string(index) + " does not exist";
    }
    const format::Buffer& buffer = *source.model.buffers()->Get(index);
    tensor.contents = contents_of(source.file, buffer);
    if (tensor.contents.empty() && !is_offset_set(buffer.offset())) {
        return {};
    }
    if (tensor.is_variable || (tensor.type == kTypeResource)) {
        return "contents of a variable are not supported";
    }
    tensor.is_constant = true;
    if (tensor.contents.size() != tensor.size_bytes) {
        return "its " + buffer_name(source.file, index, buffer) + " holds " + std::to_string(tensor.contents.size()) +
               " bytes where its shape needs " + std::to_string(tensor.size_bytes);
    }
    return {};
}

// Unaligned reads: FlatBuffers' verifier checks the place of a vector's length, not of its elements.
std::vector<std::int64_t> values_of(const flatbuffers::Vector<std::int64_t>& list) {
    std::vector<std::int64_t> values(list.size());
    if (!values.empty()) {
        std::memcpy(values.data(), list.Data(), values.size() * sizeof(std::int64_t));
    }
    return values;
}

// Wider types have no zero point, in TensorFlow Lite's quantisation as in the runtime.
std::pair<std::int64_t, std::int64_t> zero_point_range(std::int8_t type) {
    if (type == kTypeInt8) {
        return {INT8_MIN, INT8_MAX};
    }
    if (type == kTypeInt16) {
        return {INT16_MIN, INT16_MAX};
    }
    return {0, (type == kTypeUint8) ? UINT8_MAX : 0};
}

std::string read_quantization(const format::Tensor& source, Tensor& tensor) {
    const format::QuantizationParameters* const parameters = source.quantization();
    if (parameters == nullptr) {
        return {};
    }
    if (parameters->details_kind() != 0U) {
        return "custom quantisation is not supported";
    }
    const auto* const scales = parameters->scale();
    const auto* const zero_points = parameters->zero_point();
    if ((scales == nullptr) || (scales->size() == 0U)) {
        return {};
    }
    if ((zero_points == nullptr) || (zero_points->size() != scales->size())) {
        return "the number of its zero points differs from that of its scales";
    }
    Quantization quantization;
    for (const float scale : *scales) {
        if (!std::isfinite(scale) || !(scale > 0.0F)) {
            return "one of its scales is not a positive number";
        }
        quantization.scales.push_back(scale);
    }
    const auto [low, high] = zero_point_range(tensor.type);
    for (const std::int64_t zero_point : values_of(*zero_points)) {
        if ((zero_point < low) || (zero_point > high)) {
            return "its zero point " + std::to_string(zero_point) + " is outside its type";
        }
        quantization.zero_points.push_back(static_cast<std::int32_t>(zero_point));
    }
    if (quantization.scales.size() > 1U) {
        // Some converters give a bias the dimension of its filter's channels; it has only one.
        const std::int32_t dimension = (tensor.shape.size() == 1U) ? 0 : parameters->quantized_dimension();
        if ((dimension < 0) || (static_cast<std::size_t>(dimension) >= tensor.shape.size())) {
            return "its quantised dimension " + std::to_string(dimension) + " does not exist";
        }
        quantization.dimension = static_cast<std::uint32_t>(dimension);
        if (quantization.scales.size() != tensor.shape[quantization.dimension]) {
            return "the number of its scales differs from its quantised dimension";
        }
    }
    tensor.quantization = std::move(quantization);
    return {};
}

Tensor read_tensor(const format::Tensor& stored, const Source& source, std::size_t index) {
    Tensor tensor;
    tensor.name = name_of(stored, index);
    tensor.type = stored.type();
    tensor.is_variable = stored.is_variable();
    // 64-bit integers do not reach the device: they are biases. Only the name of a variable does.
    std::uint32_t element_size = element_bytes(element_type(tensor.type));
    if (tensor.type == kTypeInt64) {
        element_size = static_cast<std::uint32_t>(sizeof(std::int64_t));
    } else if (tensor.type == kTypeResource) {
        element_size = 1U;
    }
    const std::string unsupported = type_name(tensor.type) + " is not supported";
    if (element_size == 0U) {
        tensor.defect = unsupported;
    } else if (stored.sparsity() != nullptr) {
        tensor.defect = "sparse tensors are not supported";
    } else {
        tensor.defect = read_shape(stored, element_size, tensor);
    }
    if (tensor.defect.empty()) {
        tensor.defect = read_contents(stored, source, tensor);
    }
    if (tensor.defect.empty() && (tensor.type == kTypeInt64) && !tensor.is_constant) {
        tensor.defect = unsupported;
    }
    if (tensor.defect.empty()) {
        tensor.quantization_defect = read_quantization(stored, tensor);
    }
    return tensor;
}

Operator read_operator(const format::Operator& source, const format::Model& model, std::uint32_t index) {
    Operator result;
    const std::uint32_t code_index = source.opcode_index();
    if ((model.operator_codes() == nullptr) || (code_index >= model.operator_codes()->size())) {
        throw ImportError(index, "unknown", "its operator code " + std::to_string(code_index) + " does not exist");
    }
    const format::OperatorCode* const code = model.operator_codes()->Get(code_index);
    // Old files set only the first field; new ones put a placeholder there for codes that do not fit.
    result.code = std::max<std::int32_t>(code->deprecated_builtin_code(), code->builtin_code());
    result.name = operator_name(result.code);
    result.version = code->version();
    if ((result.code == format::BuiltinOperator_CUSTOM) && (code->custom_code() != nullptr)) {
        result.name += " '" + printable(code->custom_code()) + "'";
    }
    result.stored = &source;

    const auto read_indices = [&](const flatbuffers::Vector<std::int32_t>* indices, std::int32_t lowest,
                                  std::vector<std::int32_t>& into) {
        const std::size_t count = (indices == nullptr) ? 0U : indices->size();
        if (count > kMaxOperands) {
            throw ImportError(index, result.name, "more than " + std::to_string(kMaxOperands) + " operands");
        }
        for (std::size_t i = 0U; i < count; ++i) {
            into.push_back(indices->Get(static_cast<flatbuffers::uoffset_t>(i)));
            if (into.back() < lowest) {
                throw ImportError(index, result.name, "names tensor " + std::to_string(into.back()));
            }
        }
    };
    read_indices(source.inputs(), kAbsent, result.inputs);
    read_indices(source.outputs(), 0, result.outputs);
    return result;
}

std::vector<std::uint32_t> read_graph_operands(const flatbuffers::Vector<std::int32_t>* indices, const char* what,
                                               std::uint32_t limit, std::size_t tensor_count) {
    std::vector<std::uint32_t> result;
    if ((indices == nullptr) || (indices->size() == 0U)) {
        throw ImportError(std::string{"the graph has no "} + what);
    }
    if (indices->size() > limit) {
        throw ImportError("more than " + std::to_string(limit) + " graph " + what + " are not supported");
    }
    for (const std::int32_t index : *indices) {
        if ((index < 0) || (static_cast<std::size_t>(index) >= tensor_count)) {
            throw ImportError(std::string{"the graph's "} + what + " name tensor " + std::to_string(index) +
                              ", which does not exist");
        }
        result.push_back(static_cast<std::uint32_t>(index));
    }
    return result;
}

void refuse_pointer(Span<const std::uint8_t> file) {
    constexpr std::string_view kLargeFileStorage{"version https://git-lfs."};
    if ((file.size() >= kLargeFileStorage.size()) &&
        std::equal(kLargeFileStorage.begin(), kLargeFileStorage.end(), file.begin())) {
        throw ImportError("not a TFLite file: a Git LFS pointer, in place of which `git lfs pull` puts the model");
    }
}

const format::Model& verified(Span<const std::uint8_t> file) {
    constexpr std::size_t kSmallestFile = 8U;
    if (file.size() < kSmallestFile) {
        throw ImportError("not a TFLite file: it has " + std::to_string(file.size()) + " bytes");
    }
    if (!format::ModelBufferHasIdentifier(file.data())) {
        refuse_pointer(file);
        throw ImportError("not a TFLite file: the identifier TFL3 is missing");
    }
    if (!is_model(file)) {
        throw ImportError("not a TFLite file: its FlatBuffer is damaged");
    }
    const format::Model& model = *format::GetModel(file.data());
    if (model.version() != kFormatVersion) {
        throw ImportError("format version " + std::to_string(model.version()) + " is not supported; 3 is");
    }
    check_outside_buffers(file, model);
    return model;
}

void read_graph(const Source& source, const format::SubGraph& graph, Model& model) {
    const std::uint32_t tensor_count = (graph.tensors() == nullptr) ? 0U : graph.tensors()->size();
    const std::uint32_t operator_count = (graph.operators() == nullptr) ? 0U : graph.operators()->size();
    if ((tensor_count > kMaxModelTensors) || (operator_count > kMaxModelOperators)) {
        throw ImportError("more than " + std::to_string(kMaxModelTensors) + " tensors or operators are not supported");
    }

    std::uint64_t scale_count = 0U;
    for (std::uint32_t i = 0U; i < tensor_count; ++i) {
        const format::Tensor& tensor = *graph.tensors()->Get(i);
        if ((tensor.quantization() != nullptr) && (tensor.quantization()->scale() != nullptr)) {
            scale_count += tensor.quantization()->scale()->size();
        }
        if (scale_count > kMaxScales) {
            throw ImportError("more than " + std::to_string(kMaxScales) + " scales are not supported");
        }
        model.tensors.push_back(read_tensor(tensor, source, i));
    }
    for (std::uint32_t i = 0U; i < operator_count; ++i) {
        model.operators.push_back(read_operator(*graph.operators()->Get(i), source.model, i));
    }
}

// By tensor: whether an operator reads or writes it, so that its defect is reported for that operator.
std::vector<bool> used_tensors(const Model& model) {
    std::vector<bool> is_used(model.tensors.size(), false);
    const auto mark = [&](std::int32_t operand) {
        if ((operand >= 0) && (static_cast<std::size_t>(operand) < is_used.size())) {
            is_used[static_cast<std::size_t>(operand)] = true;
        }
    };
    for (const Operator& op : model.operators) {
        for (std::size_t position = 0U; position < op.inputs.size(); ++position) {
            if (!is_unread_shape(model, op, position)) {
                mark(op.inputs[position]);
            }
        }
        std::for_each(op.outputs.begin(), op.outputs.end(), mark);
    }
    return is_used;
}

}  // namespace

bool is_model(Span<const std::uint8_t> file) {
    constexpr std::size_t kSmallestFile = 8U;
    flatbuffers::Verifier verifier(file.data(), file.size(), kVerifierDepth, kVerifierTables);
    return (file.size() >= kSmallestFile) && format::VerifyModelBuffer(verifier);
}

bool is_unread_shape(const Model& model, const Operator& op, std::size_t position) {
    return (op.code == format::BuiltinOperator_RESHAPE) && (position == 1U) && (op.inputs[position] >= 0) &&
           (static_cast<std::size_t>(op.inputs[position]) < model.tensors.size()) &&
           model.tensors[static_cast<std::size_t>(op.inputs[position])].is_empty;
}

std::string operator_name(std::int32_t code) {
    const std::string name = format::EnumNameBuiltinOperator(static_cast<format::BuiltinOperator>(code));
    return name.empty() ? ("BUILTIN_" + std::to_string(code)) : name;
}

Model read_model(Span<const std::uint8_t> file) {
    if (file.size() > kMaxModelBytes) {
        throw ImportError("models above " + std::to_string(kMaxModelBytes) + " bytes are not supported");
    }
    Model model;
    model.storage.assign(file.begin(), file.end());
    const Span<const std::uint8_t> stored{model.storage.data(), model.storage.size()};
    const format::Model& source = verified(stored);
    if ((source.subgraphs() == nullptr) || (source.subgraphs()->size() == 0U)) {
        throw ImportError("the model has no graph");
    }
    model.subgraph_count = source.subgraphs()->size();
    read_graph({stored, source}, *source.subgraphs()->Get(0U), model);
    refuse_other_files(source, used_tensors(model));
    const format::SubGraph& graph = *source.subgraphs()->Get(0U);
    const std::size_t tensor_count = model.tensors.size();
    model.inputs = read_graph_operands(graph.inputs(), "inputs", kMaxInputs, tensor_count);
    model.outputs = read_graph_operands(graph.outputs(), "outputs", kMaxOutputs, tensor_count);
    return model;
}

Model read_inner_graph(const Model& model, std::int32_t index) {
    if ((index < 0) || (static_cast<std::uint32_t>(index) >= model.subgraph_count)) {
        throw ImportError("graph " + std::to_string(index) + " does not exist");
    }
    const format::Model& source = *format::GetModel(model.storage.data());
    const format::SubGraph& graph = *source.subgraphs()->Get(static_cast<std::uint32_t>(index));
    const std::size_t inputs = (graph.inputs() == nullptr) ? 0U : graph.inputs()->size();
    const std::size_t outputs = (graph.outputs() == nullptr) ? 0U : graph.outputs()->size();
    if ((inputs + outputs) > 0U) {
        throw ImportError("graph " + std::to_string(index) + " has " + std::to_string(inputs) + " inputs and " +
                          std::to_string(outputs) + " outputs; none are supported");
    }
    Model inner;
    inner.subgraph_count = model.subgraph_count;
    read_graph({{model.storage.data(), model.storage.size()}, source}, graph, inner);
    return inner;
}

}  // namespace pianola::tflite
