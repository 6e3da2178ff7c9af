// Builds small TFLite files, sound and unsound ones, for tests of the importer.
//
// Fields are written by their id, not through the importer's own schema, so that a wrong id there does not go
// unnoticed.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace pianola::tflite {

// Types of elements, as the format numbers them.
inline constexpr std::int8_t kFloat32 = 0;
inline constexpr std::int8_t kInt32 = 2;
inline constexpr std::int8_t kUint8 = 3;
inline constexpr std::int8_t kBool = 6;
inline constexpr std::int8_t kInt16 = 7;
inline constexpr std::int8_t kInt8 = 9;
// Operators that several tests use, as the format numbers them.
inline constexpr std::int32_t kAdd = 0;
inline constexpr std::int32_t kReshape = 22;

struct TensorSpec {
    std::string name;
    std::vector<std::int32_t> shape;
    std::uint32_t buffer{0U};  // 0: none; n: contents[n - 1]
    std::int8_t type{9};       // int8
    std::vector<float> scales{0.5F};
    std::vector<std::int64_t> zero_points{0};
    std::int32_t dimension{0};
    bool is_variable{false};
    std::uint32_t external_buffer{0U};
};

// A field of an options table: one byte or four.
struct OptionSpec {
    std::uint32_t id{0U};
    std::int32_t value{0};
    bool is_byte{false};
};

struct OperatorSpec {
    OperatorSpec(std::int32_t builtin_code, std::vector<std::int32_t> input_indices,
                 std::vector<std::int32_t> output_indices, std::uint8_t type_of_options = 0U,
                 std::vector<OptionSpec> option_fields = {})
        : code{builtin_code},
          inputs{std::move(input_indices)},
          outputs{std::move(output_indices)},
          options_type{type_of_options},
          options{std::move(option_fields)} {}

    std::int32_t code;
    std::vector<std::int32_t> inputs;
    std::vector<std::int32_t> outputs;
    std::uint8_t options_type;  // an options table of this type; 0: none
    std::vector<OptionSpec> options;
    std::int32_t version{1};
    std::uint64_t large_options_offset{0U};
    std::uint64_t large_options_size{0U};
};

// Where a buffer says that its contents lie.
struct PlaceSpec {
    std::uint64_t offset{0U};
    std::uint64_t size{0U};
};

struct ExternalSpec {
    std::uint32_t id{0U};
    std::uint64_t offset{0U};
    std::uint64_t length{0U};
};

struct ModelSpec {
    std::vector<TensorSpec> tensors;
    std::vector<OperatorSpec> operators;
    std::vector<std::int32_t> inputs;
    std::vector<std::int32_t> outputs;
    std::vector<std::vector<std::uint8_t>> contents;
    std::vector<PlaceSpec> places;             // of the buffers after those of `contents`
    std::vector<ExternalSpec> externals;       // in the group "weights.bin"
    bool has_group{false};                     // that group, whether or not something is in it
    std::vector<std::uint8_t> first_contents;  // of buffer 0
    PlaceSpec first_place;                     // of buffer 0
    std::vector<ModelSpec> more_graphs;        // tensors, operators, inputs and outputs of each
    std::uint32_t version{3U};
    std::size_t subgraphs{1U};
    bool deprecated_codes{false};  // write the operator codes as files from before schema 3a do
};

// Without scale and zero point.
inline TensorSpec plain(const char* name, std::vector<std::int32_t> shape, std::int8_t type) {
    return TensorSpec{name, std::move(shape), 0U, type, {}, {}};
}

// All that the operator reads are inputs, and all that it writes outputs.
inline ModelSpec model_of(const OperatorSpec& op, std::vector<TensorSpec> tensors) {
    ModelSpec model;
    model.tensors = std::move(tensors);
    model.inputs = op.inputs;
    model.outputs = op.outputs;
    model.operators = {op};
    return model;
}

constexpr flatbuffers::voffset_t field(std::uint32_t id) {
    return static_cast<flatbuffers::voffset_t>(4U + (2U * id));
}

using Table = flatbuffers::Offset<flatbuffers::Table>;

inline Table build_quantization(flatbuffers::FlatBufferBuilder& builder, const TensorSpec& tensor) {
    const auto scales = builder.CreateVector(tensor.scales);
    const auto zero_points = builder.CreateVector(tensor.zero_points);
    const auto start = builder.StartTable();
    builder.AddOffset(field(2U), scales);
    builder.AddOffset(field(3U), zero_points);
    builder.AddElement<std::int32_t>(field(6U), tensor.dimension, 0);
    return Table{builder.EndTable(start)};
}

inline Table build_tensor(flatbuffers::FlatBufferBuilder& builder, const TensorSpec& tensor) {
    const auto shape = builder.CreateVector(tensor.shape);
    const auto name = builder.CreateString(tensor.name);
    const Table quantization = build_quantization(builder, tensor);
    const auto start = builder.StartTable();
    builder.AddOffset(field(0U), shape);
    builder.AddElement<std::int8_t>(field(1U), tensor.type, 0);
    builder.AddElement<std::uint32_t>(field(2U), tensor.buffer, 0U);
    builder.AddOffset(field(3U), name);
    if (!tensor.scales.empty()) {
        builder.AddOffset(field(4U), quantization);
    }
    builder.AddElement<std::uint8_t>(field(5U), tensor.is_variable ? 1U : 0U, 0U);
    builder.AddElement<std::uint32_t>(field(10U), tensor.external_buffer, 0U);
    return Table{builder.EndTable(start)};
}

inline Table build_operator(flatbuffers::FlatBufferBuilder& builder, const OperatorSpec& op, std::uint32_t code_index) {
    const auto inputs = builder.CreateVector(op.inputs);
    const auto outputs = builder.CreateVector(op.outputs);
    const auto options_start = builder.StartTable();
    for (const OptionSpec& option : op.options) {
        if (option.is_byte) {
            builder.AddElement<std::int8_t>(field(option.id), static_cast<std::int8_t>(option.value), 0);
        } else {
            builder.AddElement<std::int32_t>(field(option.id), option.value, 0);
        }
    }
    const Table options{builder.EndTable(options_start)};
    const auto start = builder.StartTable();
    builder.AddElement<std::uint32_t>(field(0U), code_index, 0U);
    builder.AddOffset(field(1U), inputs);
    builder.AddOffset(field(2U), outputs);
    if (op.options_type != 0U) {
        builder.AddElement<std::uint8_t>(field(3U), op.options_type, 0U);
        builder.AddOffset(field(4U), options);
    }
    builder.AddElement<std::uint64_t>(field(9U), op.large_options_offset, 0U);
    builder.AddElement<std::uint64_t>(field(10U), op.large_options_size, 0U);
    return Table{builder.EndTable(start)};
}

inline Table build_graph(flatbuffers::FlatBufferBuilder& builder, const ModelSpec& model, std::size_t first_code) {
    std::vector<Table> tensors;
    tensors.reserve(model.tensors.size());
    for (const TensorSpec& tensor : model.tensors) {
        tensors.push_back(build_tensor(builder, tensor));
    }
    std::vector<Table> operators;
    operators.reserve(model.operators.size());
    for (std::size_t i = 0U; i < model.operators.size(); ++i) {
        operators.push_back(build_operator(builder, model.operators[i], static_cast<std::uint32_t>(first_code + i)));
    }
    const auto tensor_vector = builder.CreateVector(tensors);
    const auto inputs = builder.CreateVector(model.inputs);
    const auto outputs = builder.CreateVector(model.outputs);
    const auto operator_vector = builder.CreateVector(operators);
    const auto start = builder.StartTable();
    builder.AddOffset(field(0U), tensor_vector);
    builder.AddOffset(field(1U), inputs);
    builder.AddOffset(field(2U), outputs);
    builder.AddOffset(field(3U), operator_vector);
    return Table{builder.EndTable(start)};
}

inline std::vector<std::uint8_t> build_model(const ModelSpec& model) {
    constexpr std::int32_t kPlaceholder = 127;
    flatbuffers::FlatBufferBuilder builder;
    std::vector<Table> codes;
    const auto add_codes = [&](const ModelSpec& graph) {
        for (const OperatorSpec& op : graph.operators) {
            const auto start = builder.StartTable();
            const std::int32_t small = (op.code < kPlaceholder) ? op.code : kPlaceholder;
            builder.AddElement<std::int8_t>(field(0U), static_cast<std::int8_t>(small), 0);
            builder.AddElement<std::int32_t>(field(2U), op.version, 1);
            if (!model.deprecated_codes) {
                builder.AddElement<std::int32_t>(field(3U), op.code, 0);
            }
            codes.emplace_back(builder.EndTable(start));
        }
    };
    add_codes(model);
    std::vector<Table> graphs;
    for (std::size_t i = 0U; i < model.subgraphs; ++i) {
        graphs.push_back(build_graph(builder, model, 0U));
    }
    for (const ModelSpec& graph : model.more_graphs) {
        const std::size_t first_code = codes.size();
        add_codes(graph);
        graphs.push_back(build_graph(builder, graph, first_code));
    }
    std::vector<Table> buffers;
    const auto first_data = builder.CreateVector(model.first_contents);
    const auto first = builder.StartTable();
    if (!model.first_contents.empty()) {
        builder.AddOffset(field(0U), first_data);
    }
    builder.AddElement<std::uint64_t>(field(1U), model.first_place.offset, 0U);
    builder.AddElement<std::uint64_t>(field(2U), model.first_place.size, 0U);
    buffers.emplace_back(builder.EndTable(first));
    for (const std::vector<std::uint8_t>& contents : model.contents) {
        const auto data = builder.CreateVector(contents);
        const auto start = builder.StartTable();
        builder.AddOffset(field(0U), data);
        buffers.emplace_back(builder.EndTable(start));
    }
    for (const PlaceSpec& place : model.places) {
        const auto start = builder.StartTable();
        builder.AddElement<std::uint64_t>(field(1U), place.offset, 0U);
        builder.AddElement<std::uint64_t>(field(2U), place.size, 0U);
        buffers.emplace_back(builder.EndTable(start));
    }
    std::vector<Table> externals;
    for (const ExternalSpec& external : model.externals) {
        const auto start = builder.StartTable();
        builder.AddElement<std::uint32_t>(field(0U), external.id, 0U);
        builder.AddElement<std::uint64_t>(field(2U), external.offset, 0U);
        builder.AddElement<std::uint64_t>(field(3U), external.length, 0U);
        externals.emplace_back(builder.EndTable(start));
    }
    const auto group_name = builder.CreateString("weights.bin");
    const auto group_start = builder.StartTable();
    builder.AddOffset(field(0U), group_name);
    const Table group{builder.EndTable(group_start)};
    const auto group_vector = builder.CreateVector(std::vector<Table>{group});
    const auto external_vector = builder.CreateVector(externals);
    const auto code_vector = builder.CreateVector(codes);
    const auto graph_vector = builder.CreateVector(graphs);
    const auto buffer_vector = builder.CreateVector(buffers);
    const auto start = builder.StartTable();
    builder.AddElement<std::uint32_t>(field(0U), model.version, 0U);
    builder.AddOffset(field(1U), code_vector);
    builder.AddOffset(field(2U), graph_vector);
    builder.AddOffset(field(4U), buffer_vector);
    if (model.has_group || !model.externals.empty()) {
        builder.AddOffset(field(8U), group_vector);
    }
    if (!model.externals.empty()) {
        builder.AddOffset(field(9U), external_vector);
    }
    builder.Finish(Table{builder.EndTable(start)}, "TFL3");
    return std::vector<std::uint8_t>(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
}

}  // namespace pianola::tflite
