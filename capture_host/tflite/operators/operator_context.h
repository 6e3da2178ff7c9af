// OperatorContext: the interface for the lowering of one operator.
//
// It is between the importer's driver (import.cpp) and the operators (operators/*.cpp). Every accessor checks and
// throws an ImportError that names the operator, so that lowering code reads as the list of what it accepts. It exists
// while one operator is lowered.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "capture_host/capture/recorder.h"
#include "capture_host/operators/channel_table.h"
#include "capture_host/operators/function_tables.h"
#include "capture_host/operators/kernel_arguments.h"
#include "capture_host/operators/quantization.h"
#include "capture_host/tflite/model/graph.h"
#include "capture_host/tflite/model/reader.h"
#include "capture_host/tflite/operators/operators.h"
#include "hal/devices/refdev/kernels/arguments.h"
#include "tflite_subset_generated.h"

namespace pianola::tflite {

using operators::Activation;
using operators::ActivationRange;
using operators::Affine;
using operators::ByteTable;
using operators::ChannelTable;
using operators::FixedPoint;
using operators::kInt16Range;
using operators::kUnity;

inline constexpr std::size_t kMaxLaunches = 262144U;  // of a model
inline constexpr std::uint64_t kMaxTableBytes =
    std::uint64_t{64} * 1024U * 1024U;  // of all channel parameters together

inline constexpr std::uint32_t kImageRank = 4U;  // batches, height, width, channels

// An operand with one scale.
struct QuantizedTensor {
    std::uint32_t index{0U};
    const Tensor* tensor{nullptr};
    float scale{0.0F};
    std::int32_t zero_point{0};

    [[nodiscard]] Affine affine() const { return {scale, zero_point}; }
    // As kernels name it. Truth values are bytes of 0 and 1.
    [[nodiscard]] std::uint32_t kernel_type() const {
        return (tensor->type == kTypeBool) ? refdev::kTypeInt8 : static_cast<std::uint32_t>(element_type(tensor->type));
    }
};
using Int8Tensor = QuantizedTensor;  // of int8

// Types that an operator accepts, by their number in the format.
using Types = std::initializer_list<std::int8_t>;

// An operand of any type, quantised or not; not per channel.
struct AnyTensor {
    std::uint32_t index{0U};
    const Tensor* tensor{nullptr};
    std::uint32_t element_bytes{0U};
};

// An operand of a launch: a buffer, or its part from a byte on.
struct LaunchOperand {
    capture::BufferId buffer{};
    std::uint32_t offset_bytes{0U};
};

// An argument word that holds an operand's address.
struct AddressWord {
    std::size_t member_offset{0U};
    capture::BufferId buffer{};
    Access access{Access::kUnspecified};
    std::uint32_t offset_bytes{0U};  // into the buffer
};

class OperatorContext {
  public:
    // `table_bytes` counts towards kMaxTableBytes over all operators. The referenced objects must outlive this one.
    OperatorContext(const Model& model, std::uint32_t index, Graph& graph, capture::Recorder& recorder,
                    std::uint64_t& table_bytes)
        : model_{model}, index_{index}, graph_{graph}, recorder_{recorder}, table_bytes_{table_bytes} {}

    [[noreturn]] void refuse(const std::string& missing) const;
    [[noreturn]] void refuse(const std::string& missing, const Tensor& tensor) const;
    void require(bool condition, const char* missing) const {
        if (!condition) {
            refuse(missing);
        }
    }

    // The value, which is set unless a ratio of scales is out of the kernels' range, or something else is `missing`.
    template <typename Value>
    [[nodiscard]] const Value& in_range(const std::optional<Value>& value,
                                        const char* missing = "the ratio of its scales is out of range") const {
        if (!value.has_value()) {
            refuse(missing);
        }
        return *value;
    }

    // Call one of them first: the accessors below require it.
    void require_operands(std::size_t min_inputs, std::size_t max_inputs) const {
        require_inputs(min_inputs, max_inputs);
        require_outputs(1U);
    }
    void require_inputs(std::size_t min_inputs, std::size_t max_inputs) const;
    void require_outputs(std::size_t outputs) const;
    [[nodiscard]] std::size_t input_count() const { return op().inputs.size(); }
    [[nodiscard]] std::size_t output_count() const { return op().outputs.size(); }

    // Options as stored: the operator must check enumerations, strides and factors.
    template <typename Options>
    [[nodiscard]] const Options& options() const {
        const Options* const options = op().stored->builtin_options_as<Options>();
        if (options == nullptr) {
            refuse("its options are missing");
        }
        return *options;
    }

    // nullptr if they are missing.
    template <typename Options>
    [[nodiscard]] const Options* options_if_any() const {
        return (op().stored->builtin_options() == nullptr) ? nullptr : &options<Options>();
    }

    // The same for operators whose options all have a default: files may leave them out.
    template <typename Options>
    [[nodiscard]] const Options& options_or_defaults() const {
        // A table without fields: the root's place, a list of no fields, and the way back to it.
        alignas(std::uint32_t) static constexpr std::array<std::uint8_t, 12> kEmpty{8U, 0U, 0U, 0U, 4U, 0U,
                                                                                    4U, 0U, 4U, 0U, 0U, 0U};
        return (op().stored->builtin_options() == nullptr) ? *flatbuffers::GetRoot<Options>(kEmpty.data())
                                                           : options<Options>();
    }

    // Accepts an input that may be absent; nullptr if it is.
    [[nodiscard]] const Tensor* optional_input(std::size_t position) const;
    [[nodiscard]] const Tensor& input(std::size_t position, const char* what) const;
    [[nodiscard]] const Tensor& output() const { return model_.tensors[output_index()]; }

    // The same, int8 with one scale.
    [[nodiscard]] Int8Tensor int8_input(std::size_t position, const char* what) const;
    [[nodiscard]] Int8Tensor int8_output() const;

    [[nodiscard]] AnyTensor any_input(std::size_t position, const char* what) const;
    [[nodiscard]] AnyTensor any_output(std::size_t position) const;
    // The same for one of several types.
    [[nodiscard]] QuantizedTensor quantized_input(std::size_t position, const char* what, Types types) const {
        return symmetric_int16(quantized_tensor(input_index(position, what), what, types), what);
    }
    [[nodiscard]] QuantizedTensor quantized_output(Types types) const {
        return symmetric_int16(quantized_tensor(output_index(), "output", types), "output");
    }
    // The same for int16 with any zero point, which few operators accept.
    [[nodiscard]] QuantizedTensor shifted_input(std::size_t position, const char* what, Types types) const {
        return quantized_tensor(input_index(position, what), what, types);
    }
    [[nodiscard]] QuantizedTensor shifted_output(Types types) const {
        return quantized_tensor(output_index(), "output", types);
    }
    // The same, ignoring the scale.
    [[nodiscard]] QuantizedTensor typed_input(std::size_t position, const char* what, Types types) const {
        return typed_tensor(input_index(position, what), what, types);
    }
    [[nodiscard]] QuantizedTensor typed_output(Types types) const {
        return typed_tensor(output_index(), "output", types);
    }

    // An int8 operand: its scales may be per channel.
    [[nodiscard]] const Tensor& int8_weights(std::size_t position, const char* what) const;
    // The same, constant.
    [[nodiscard]] const Tensor& int8_constant(std::size_t position, const char* what) const;
    // At most `max_elements` of them, in a list or alone.
    [[nodiscard]] std::vector<std::int32_t> int32_constant(std::size_t position, const char* what,
                                                           std::uint32_t max_elements) const;
    // The same in a table of two columns, at most `max_rows` of these.
    [[nodiscard]] std::vector<std::int32_t> int32_pairs(std::size_t position, const char* what,
                                                        std::uint32_t max_rows) const;
    // The same in any shape.
    [[nodiscard]] std::vector<std::int32_t> int32_elements(std::size_t position, const char* what,
                                                           std::uint32_t max_elements) const;

    // Input 2, or another, as one integer per channel; zeros if it is absent. int64 for sums of 8 bytes, else int32.
    // Checks that a table of them fits.
    [[nodiscard]] std::vector<std::int64_t> bias(std::uint32_t channels,
                                                 std::uint32_t sum_bytes = refdev::kNarrowSumBytes,
                                                 std::size_t position = 2U) const;
    // Refuses a bias whose scales are not those of its products, `input_scale` times each of the weights' scales. One
    // without scales is accepted.
    void require_bias_scales(std::size_t position, float input_scale, const std::vector<float>& weight_scales) const;
    // Refuses a bias whose type differs from the one that the option `quantized_bias_type` names, if it names one.
    // Without a bias, sums have `sum_bytes`.
    void require_bias_type(std::size_t position, std::int8_t option, std::uint32_t sum_bytes) const;

    // Refuses an option that counts operands if the number differs: "its num_splits 3 differs from its 2 outputs".
    void require_count(const char* option, std::int32_t value, std::size_t operands, const char* what) const;
    // Refuses an option that names another type than the tensor's; 0, which is also its default, names none.
    void require_type(const char* option, std::int8_t value, const Tensor& tensor) const;
    void require_same_shape(const QuantizedTensor& a, const QuantizedTensor& b) const {
        require(a.tensor->shape == b.tensor->shape, "its input and output differ in shape");
    }
    void require_same_quantization(const Int8Tensor& a, const Int8Tensor& b) const;
    // For operators that move the elements of `a` to `b`.
    void require_same_elements(const AnyTensor& a, const AnyTensor& b) const;
    // Compares the stored values: both may have none.
    void require_stored_same_quantization(const QuantizedTensor& a, const QuantizedTensor& b) const;
    [[nodiscard]] FixedPoint multiplier(double real) const { return in_range(operators::quantize_multiplier(real)); }
    [[nodiscard]] ActivationRange clamp_range(std::int8_t activation, const QuantizedTensor& output) const;

    [[nodiscard]] capture::BufferId buffer(const Int8Tensor& operand) const { return graph_.buffer_of(operand.index); }
    [[nodiscard]] capture::BufferId buffer(const AnyTensor& operand) const { return graph_.buffer_of(operand.index); }
    [[nodiscard]] capture::BufferId input_buffer(std::size_t position) const;
    // Of a tensor that is written, whether or not it is an operand.
    [[nodiscard]] capture::BufferId tensor_buffer(std::uint32_t index) const { return graph_.buffer_of(index); }
    // The VAR_HANDLE that makes input 0, which exists.
    [[nodiscard]] const Operator& handle() const;
    // The variable whose handle is input 0, as memory for the contents of `tensor`.
    [[nodiscard]] capture::BufferId variable(const Tensor& tensor);
    // Sets the contents of a VAR_HANDLE's variable before the first step. Refuses a variable that was used already.
    void initialise_variable(const Operator& handle, const Tensor& contents);
    // True the first time.
    [[nodiscard]] bool is_first_look_at(std::int32_t inner_graph);
    [[nodiscard]] const Model& model() const noexcept { return model_; }
    // Memory that outlives steps.
    [[nodiscard]] capture::BufferId add_state(const char* what, const std::vector<std::uint8_t>& contents) {
        return graph_.add_state(std::string{what} + " of operator " + std::to_string(index_), contents);
    }
    // Copies all of `source` to `destination`.
    void copy(capture::BufferId destination, capture::BufferId source, std::uint32_t size_bytes);
    // Memory for data between two launches of this operator.
    [[nodiscard]] capture::BufferId add_temporary(std::uint32_t size_bytes);
    [[nodiscard]] capture::BufferId add_table(const char* what, std::vector<std::uint8_t> contents);
    [[nodiscard]] capture::BufferId add_channel_table(const std::optional<ChannelTable>& table,
                                                      std::uint32_t sum_bytes = refdev::kNarrowSumBytes);
    [[nodiscard]] capture::BufferId add_byte_table(const std::optional<ByteTable>& table);

    // Records the launch of a kernel with one input tensor and one output tensor.
    template <typename Arguments>
    void launch(refdev::KernelId kernel, const Arguments& arguments, const Int8Tensor& input,
                const Int8Tensor& output) {
        launch(kernel, arguments, {{buffer(input)}, {buffer(output)}});
    }

    // Records the launch of a kernel whose first argument words are the addresses of `operands`, which it reads, except
    // for the last one, which it writes.
    template <typename Arguments>
    void launch(refdev::KernelId kernel, const Arguments& arguments, const std::vector<LaunchOperand>& operands) {
        std::vector<AddressWord> addresses;
        for (std::size_t i = 0U; i < operands.size(); ++i) {
            const Access access = ((i + 1U) == operands.size()) ? Access::kWrite : Access::kRead;
            addresses.push_back({i * sizeof(std::uint32_t), operands[i].buffer, access, operands[i].offset_bytes});
        }
        launch(kernel, arguments, addresses);
    }

    // Records a launch of a kernel with other operands; the linker fills the words in `addresses`.
    template <typename Arguments>
    void launch(refdev::KernelId kernel, const Arguments& arguments, const std::vector<AddressWord>& addresses) {
        std::vector<std::uint32_t> words(refdev::kArgumentWords<Arguments>);
        std::memcpy(words.data(), &arguments, sizeof(Arguments));
        record(kernel, std::move(words), addresses);
    }

  private:
    [[nodiscard]] Variable& named_variable(const Operator& handle);
    [[nodiscard]] const Operator& op() const { return model_.operators[index_]; }
    [[nodiscard]] std::uint32_t input_index(std::size_t position, const char* what) const;
    [[nodiscard]] std::uint32_t output_index() const { return static_cast<std::uint32_t>(op().outputs.front()); }
    [[nodiscard]] AnyTensor any_tensor(std::uint32_t index, const char* what) const;
    [[nodiscard]] QuantizedTensor typed_tensor(std::uint32_t index, const char* what, Types types) const;
    [[nodiscard]] QuantizedTensor quantized_tensor(std::uint32_t index, const char* what, Types types) const;
    [[nodiscard]] QuantizedTensor symmetric_int16(const QuantizedTensor& tensor, const char* what) const;
    void require_quantization(const Tensor& tensor, const char* what) const;
    void record(refdev::KernelId kernel, std::vector<std::uint32_t> words, const std::vector<AddressWord>& addresses);

    const Model& model_;
    std::uint32_t index_;
    Graph& graph_;
    capture::Recorder& recorder_;
    std::uint64_t& table_bytes_;
};

// A function of one byte, which implements several operators. Refuses if there is no table.
void launch_lookup(OperatorContext& context, const QuantizedTensor& input, const QuantizedTensor& output,
                   const std::optional<ByteTable>& table);

}  // namespace pianola::tflite
