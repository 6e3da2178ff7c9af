// Reader: a TensorFlow Lite file as plain, checked structures.
//
// The first stage of the importer, and the only code that touches FlatBuffers, except for the options of operators,
// which each operator reads. A defect of the file as such is an ImportError; a defect of one tensor is noted in the
// tensor, so that the importer can name the operator that would use it. Everything is bounded: a model's structures
// take memory proportional to its file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "capture_host/tflite/model/element_type.h"
#include "pianola/span.h"

namespace pianola::tflite::format {
struct Operator;
}  // namespace pianola::tflite::format

namespace pianola::tflite {

inline constexpr std::uint32_t kMaxModelBytes = 64U * 1024U * 1024U;
inline constexpr std::uint32_t kMaxTensorBytes = 64U * 1024U * 1024U;
inline constexpr std::uint32_t kMaxModelTensors = 4096U;
inline constexpr std::uint32_t kMaxModelOperators = 4096U;
inline constexpr std::uint32_t kMaxOperands = 64U;          // inputs or outputs of one operator, or of the graph
inline constexpr std::uint32_t kMaxScales = 1024U * 1024U;  // of all tensors together

// Scales are finite and positive; there are as many zero points as scales. If both are empty: not quantised.
struct Quantization {
    std::vector<float> scales;
    std::vector<std::int32_t> zero_points;
    std::uint32_t dimension{0U};  // below the rank if there is more than one scale
};

struct Tensor {
    std::string name;      // printable ASCII, at most kMaxNameBytes long, never empty
    std::string defect;    // why the tensor cannot be used; everything below holds only if this is empty
    bool is_empty{false};  // one of its dimensions is 0, which is a defect
    std::int8_t type{kTypeInt8};
    std::vector<std::uint32_t> shape;  // at most kMaxRank dimensions, none of them 0
    std::uint32_t elements{0U};
    std::uint32_t size_bytes{0U};  // at most kMaxTensorBytes
    Quantization quantization;
    std::string quantization_defect;  // why there is none although the file has one; else empty
    bool is_constant{false};
    bool is_variable{false};            // keeps its contents from step to step; never constant
    Span<const std::uint8_t> contents;  // size_bytes of them for a constant, inside Model::storage
};

inline constexpr std::int32_t kAbsent = -1;  // an optional input that is left out

struct Operator {
    std::int32_t code{0};
    std::int32_t version{1};                  // as stored
    std::string name;                         // for messages
    std::vector<std::int32_t> inputs;         // indices of tensors, or kAbsent
    std::vector<std::int32_t> outputs;        // indices of tensors
    const format::Operator* stored{nullptr};  // for its options, inside Model::storage
};

struct Model {
    std::vector<std::uint8_t> storage;  // the file, aligned as FlatBuffers needs it
    std::uint32_t subgraph_count{0U};   // the members below are of one of them
    std::vector<Tensor> tensors;
    std::vector<Operator> operators;
    std::vector<std::uint32_t> inputs;  // indices of tensors
    std::vector<std::uint32_t> outputs;
};

// "CONV_2D" for 3; "BUILTIN_999" for a number that the published format does not define.
[[nodiscard]] std::string operator_name(std::int32_t code);

// Whether an operator's input is the empty list of a RESHAPE to a scalar, which no tensor can hold.
[[nodiscard]] bool is_unread_shape(const Model& model, const Operator& op, std::size_t position);

// Throws ImportError. The model does not refer to `file` afterwards.
[[nodiscard]] Model read_model(Span<const std::uint8_t> file);

// Another graph of the model `model`, which must outlive it: without storage. Throws ImportError, also if there is no
// such graph, or if it has inputs or outputs.
[[nodiscard]] Model read_inner_graph(const Model& model, std::int32_t index);

}  // namespace pianola::tflite
