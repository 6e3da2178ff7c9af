#include "docs/examples/road_signs/tflite_writer.h"

#include <flatbuffers/flatbuffers.h>

#include <array>
#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "tflite_subset_generated.h"

namespace pianola::sample {

namespace {

namespace format = pianola::tflite::format;

// Numbers of the published schema.
constexpr std::uint32_t kSchemaVersion = 3U;
constexpr std::size_t kBufferAlignment = 16U;
enum class TensorType : std::int8_t { kInt32 = 2, kInt8 = 9 };
enum class Padding : std::int8_t { kSame = 0, kValid = 1 };
enum class Activation : std::int8_t { kNone = 0, kRelu = 1 };

// An operator in the first version that takes int8.
struct Builtin {
    std::int8_t code;
    std::int32_t version;
    bool operator<(const Builtin& other) const noexcept { return code < other.code; }
};
constexpr Builtin kAdd{format::BuiltinOperator_ADD, 2};
constexpr Builtin kConv2d{format::BuiltinOperator_CONV_2D, 3};
constexpr Builtin kDepthwiseConv2d{format::BuiltinOperator_DEPTHWISE_CONV_2D, 3};
constexpr Builtin kFullyConnected{format::BuiltinOperator_FULLY_CONNECTED, 4};
constexpr Builtin kMaxPool2d{format::BuiltinOperator_MAX_POOL_2D, 2};
constexpr Builtin kSoftmax{format::BuiltinOperator_SOFTMAX, 2};
constexpr Builtin kPad{format::BuiltinOperator_PAD, 2};
constexpr Builtin kMean{format::BuiltinOperator_MEAN, 2};

struct Quantisation {
    std::vector<float> scales;
    std::int64_t zero_point{0};  // of every scale
    std::int32_t dimension{0};
};

struct Options {
    format::BuiltinOptions type{format::BuiltinOptions_NONE};
    flatbuffers::Offset<void> table;
};

// Collects the parts of the file. Every child is written before its parent, each in a separate statement, because the
// order in which a compiler evaluates arguments would otherwise decide the bytes.
class ModelBuilder {
  public:
    ModelBuilder() { (void)add_buffer(nullptr, 0U); }  // buffer 0 is empty: "no constant data"

    [[nodiscard]] flatbuffers::FlatBufferBuilder& fbb() noexcept { return fbb_; }

    // Constant where there are data. Returns the tensor's index.
    std::int32_t add_tensor(const std::string& name, TensorType type, const std::vector<std::int32_t>& shape,
                            const Quantisation& quantisation, const void* data = nullptr, std::size_t size_bytes = 0U) {
        const std::uint32_t buffer = (data == nullptr) ? 0U : add_buffer(data, size_bytes);
        flatbuffers::Offset<format::QuantizationParameters> parameters;
        if (!quantisation.scales.empty()) {
            const auto scales = fbb_.CreateVector(quantisation.scales);
            const auto zeros =
                fbb_.CreateVector(std::vector<std::int64_t>(quantisation.scales.size(), quantisation.zero_point));
            format::QuantizationParametersBuilder table{fbb_};
            table.add_scale(scales);
            table.add_zero_point(zeros);
            table.add_quantized_dimension(quantisation.dimension);
            parameters = table.Finish();
        }
        const auto dims = fbb_.CreateVector(shape);
        const auto label = fbb_.CreateString(name);
        format::TensorBuilder table{fbb_};
        table.add_shape(dims);
        table.add_type(static_cast<std::int8_t>(type));
        table.add_buffer(buffer);
        table.add_name(label);
        if (!parameters.IsNull()) {
            table.add_quantization(parameters);
        }
        tensors_.push_back(table.Finish());
        return static_cast<std::int32_t>(tensors_.size() - 1U);
    }

    void add_operator(const Builtin& builtin, const std::vector<std::int32_t>& inputs, std::int32_t output,
                      const Options& options) {
        const auto code = codes_.try_emplace(builtin, static_cast<std::uint32_t>(codes_.size())).first->second;
        if (code == code_tables_.size()) {
            format::OperatorCodeBuilder table{fbb_};
            table.add_deprecated_builtin_code(builtin.code);
            table.add_version(builtin.version);
            table.add_builtin_code(builtin.code);
            code_tables_.push_back(table.Finish());
        }
        const auto ins = fbb_.CreateVector(inputs);
        const auto outs = fbb_.CreateVector(std::vector<std::int32_t>{output});
        format::OperatorBuilder table{fbb_};
        table.add_opcode_index(code);
        table.add_inputs(ins);
        table.add_outputs(outs);
        table.add_builtin_options_type(options.type);
        table.add_builtin_options(options.table);
        operators_.push_back(table.Finish());
    }

    std::vector<std::uint8_t> finish(std::int32_t input, std::int32_t output) {
        const auto tensors = fbb_.CreateVector(tensors_);
        const auto inputs = fbb_.CreateVector(std::vector<std::int32_t>{input});
        const auto outputs = fbb_.CreateVector(std::vector<std::int32_t>{output});
        const auto operators = fbb_.CreateVector(operators_);
        const auto name = fbb_.CreateString("main");
        const auto graph = format::CreateSubGraph(fbb_, tensors, inputs, outputs, operators, name);
        const auto graphs = fbb_.CreateVector(std::vector<flatbuffers::Offset<format::SubGraph>>{graph});
        const auto codes = fbb_.CreateVector(code_tables_);
        const auto buffers = fbb_.CreateVector(buffers_);
        const auto model = format::CreateModel(fbb_, kSchemaVersion, codes, graphs, buffers);
        format::FinishModelBuffer(fbb_, model);
        return {fbb_.GetBufferPointer(), fbb_.GetBufferPointer() + fbb_.GetSize()};
    }

  private:
    std::uint32_t add_buffer(const void* data, std::size_t size_bytes) {
        flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> bytes;
        if (data != nullptr) {
            std::vector<std::uint8_t> copy(size_bytes);
            std::memcpy(copy.data(), data, size_bytes);
            fbb_.ForceVectorAlignment(size_bytes, sizeof(std::uint8_t), kBufferAlignment);
            bytes = fbb_.CreateVector(copy);
        }
        buffers_.push_back(format::CreateBuffer(fbb_, bytes));
        return static_cast<std::uint32_t>(buffers_.size() - 1U);
    }

    flatbuffers::FlatBufferBuilder fbb_;
    std::vector<flatbuffers::Offset<format::Buffer>> buffers_;
    std::vector<flatbuffers::Offset<format::Tensor>> tensors_;
    std::vector<flatbuffers::Offset<format::Operator>> operators_;
    std::vector<flatbuffers::Offset<format::OperatorCode>> code_tables_;
    std::map<Builtin, std::uint32_t> codes_;
};

std::int8_t activation_of(const Node& node) noexcept {
    return static_cast<std::int8_t>(node.relu ? Activation::kRelu : Activation::kNone);
}

std::pair<Builtin, Options> describe(flatbuffers::FlatBufferBuilder& fbb, const Node& node) {
    const auto padding = static_cast<std::int8_t>(node.same_padding ? Padding::kSame : Padding::kValid);
    const auto stride = static_cast<std::int32_t>(node.window.stride);
    const auto side = static_cast<std::int32_t>(node.window.side);
    const std::int8_t activation = activation_of(node);
    switch (node.kind) {
        case NodeKind::kConv:
            return {kConv2d,
                    {format::BuiltinOptions_Conv2DOptions,
                     format::CreateConv2DOptions(fbb, padding, stride, stride, activation).Union()}};
        case NodeKind::kDepthwise:
            return {kDepthwiseConv2d,
                    {format::BuiltinOptions_DepthwiseConv2DOptions,
                     format::CreateDepthwiseConv2DOptions(fbb, padding, stride, stride, 1, activation).Union()}};
        case NodeKind::kMaxPool:
            return {kMaxPool2d,
                    {format::BuiltinOptions_Pool2DOptions,
                     format::CreatePool2DOptions(fbb, padding, stride, stride, side, side, activation).Union()}};
        case NodeKind::kAdd:
            return {kAdd, {format::BuiltinOptions_AddOptions, format::CreateAddOptions(fbb, activation).Union()}};
        case NodeKind::kPad:
            return {kPad, {format::BuiltinOptions_PadOptions, format::CreatePadOptions(fbb).Union()}};
        case NodeKind::kMean:
            return {kMean, {format::BuiltinOptions_ReducerOptions, format::CreateReducerOptions(fbb, false).Union()}};
        case NodeKind::kFullyConnected:
            break;
    }
    return {
        kFullyConnected,
        {format::BuiltinOptions_FullyConnectedOptions, format::CreateFullyConnectedOptions(fbb, activation).Union()}};
}

std::vector<std::int32_t> dims_of(const Shape& shape, NodeKind kind) {
    const auto channels = static_cast<std::int32_t>(shape.channels);
    if ((kind == NodeKind::kMean) || (kind == NodeKind::kFullyConnected)) {
        return {1, channels};
    }
    return {1, static_cast<std::int32_t>(shape.height), static_cast<std::int32_t>(shape.width), channels};
}

// Filter and bias as constant tensors, appended to the operator's inputs.
void add_weights(ModelBuilder& builder, const Node& node, const QuantisedNode& quantised, const Shape& in_shape,
                 const Shape& out_shape, std::vector<std::int32_t>& inputs) {
    const auto side = static_cast<std::int32_t>(node.window.side);
    const auto in_channels = static_cast<std::int32_t>(in_shape.channels);
    const auto out_channels = static_cast<std::int32_t>(out_shape.channels);
    std::vector<std::int32_t> dims{out_channels, side, side, in_channels};
    std::int32_t channel_dimension = 0;
    if (node.kind == NodeKind::kDepthwise) {
        dims = {1, side, side, out_channels};
        channel_dimension = 3;
    } else if (node.kind == NodeKind::kFullyConnected) {
        dims = {out_channels, in_channels};
    }
    inputs.push_back(builder.add_tensor(node.name + "/filter", TensorType::kInt8, dims,
                                        Quantisation{quantised.filter_scales, 0, channel_dimension},
                                        quantised.filter.data(), quantised.filter.size()));
    inputs.push_back(builder.add_tensor(node.name + "/bias", TensorType::kInt32, {out_channels},
                                        Quantisation{quantised.bias_scales, 0, 0}, quantised.bias.data(),
                                        quantised.bias.size() * sizeof(std::int32_t)));
}

// What PAD and MEAN take as a constant second input.
void add_parameters(ModelBuilder& builder, const Node& node, std::vector<std::int32_t>& inputs) {
    if (node.kind == NodeKind::kPad) {
        const auto pad = static_cast<std::int32_t>(node.window.pad_before);
        const std::array<std::int32_t, 8> amounts{0, 0, pad, pad, pad, pad, 0, 0};
        inputs.push_back(builder.add_tensor(node.name + "/amounts", TensorType::kInt32, {4, 2}, {}, amounts.data(),
                                            sizeof(amounts)));
    } else if (node.kind == NodeKind::kMean) {
        const std::array<std::int32_t, 2> axes{1, 2};
        inputs.push_back(
            builder.add_tensor(node.name + "/axes", TensorType::kInt32, {2}, {}, axes.data(), sizeof(axes)));
    }
}

}  // namespace

std::vector<std::uint8_t> write_tflite(const Network& network, const QuantisedNetwork& quantised) {
    ModelBuilder builder;
    const auto grid_of = [&](std::size_t tensor) {
        return Quantisation{{quantised.grids[tensor].scale}, quantised.grids[tensor].zero_point, 0};
    };
    std::vector<std::int32_t> tensors;  // of the network, as the file numbers them
    tensors.push_back(
        builder.add_tensor("image", TensorType::kInt8, dims_of(network.shapes[0U], NodeKind::kConv), grid_of(0U)));
    for (std::size_t i = 0U; i < network.nodes.size(); ++i) {
        const Node& node = network.nodes[i];
        const Shape& out_shape = network.shapes[i + 1U];
        std::vector<std::int32_t> inputs{tensors[node.input]};
        if (node.kind == NodeKind::kAdd) {
            inputs.push_back(tensors[node.input2]);
        } else if (!quantised.nodes[i].filter.empty()) {
            add_weights(builder, node, quantised.nodes[i], network.shapes[node.input], out_shape, inputs);
        } else {
            add_parameters(builder, node, inputs);
        }
        tensors.push_back(
            builder.add_tensor(node.name, TensorType::kInt8, dims_of(out_shape, node.kind), grid_of(i + 1U)));
        const auto [builtin, options] = describe(builder.fbb(), node);
        builder.add_operator(builtin, inputs, tensors.back(), options);
    }
    constexpr float kProbabilityScale = 1.0F / 256.0F;
    const std::int32_t probabilities = builder.add_tensor("probabilities", TensorType::kInt8,
                                                          dims_of(network.shapes.back(), NodeKind::kFullyConnected),
                                                          Quantisation{{kProbabilityScale}, -128, 0});
    const Options softmax{format::BuiltinOptions_SoftmaxOptions,
                          format::CreateSoftmaxOptions(builder.fbb(), 1.0F).Union()};
    builder.add_operator(kSoftmax, {tensors.back()}, probabilities, softmax);
    return builder.finish(tensors.front(), probabilities);
}

}  // namespace pianola::sample
