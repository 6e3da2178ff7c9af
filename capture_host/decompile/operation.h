// Operation: one operator of a model, and what the tensors before it hold.
//
// The model's side of decompile. Its code shares nothing with the importer's operators: geometry and scales are made
// from the model and the quantisation specification alone.
#pragma once

#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "capture_host/decompile/expressions.h"
#include "capture_host/decompile/launches.h"
#include "capture_host/tflite/model/reader.h"
#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/kernel.h"
#include "tflite_subset_generated.h"

namespace pianola::decompile {

using tflite::Tensor;
using Shape = std::vector<std::uint32_t>;

// State that is kept from step to step, by name: before the step, and now.
struct State {
    std::map<std::string, Tokens> before;
    std::map<std::string, Tokens> now;
};

class Operation {
  public:
    // The referenced objects must outlive this one.
    Operation(const tflite::Model& model, std::uint32_t index, std::vector<Tokens>& tokens, State& state,
              Expressions& expressions)
        : model_{model},
          op_{model.operators[index]},
          index_{index},
          tokens_{tokens},
          state_{state},
          expressions_{expressions} {}

    [[nodiscard]] std::int32_t code() const { return op_.code; }
    [[nodiscard]] bool has(std::size_t input) const {
        return (input < op_.inputs.size()) && (op_.inputs[input] != tflite::kAbsent);
    }
    [[nodiscard]] std::size_t inputs() const { return op_.inputs.size(); }
    [[nodiscard]] std::size_t outputs() const { return op_.outputs.size(); }
    [[nodiscard]] const Tensor& in(std::size_t input) const { return model_.tensors.at(number_of(input)); }
    [[nodiscard]] const Tensor& out(std::size_t output = 0U) const {
        return model_.tensors.at(static_cast<std::size_t>(op_.outputs.at(output)));
    }
    [[nodiscard]] const Tokens& bytes(std::size_t input) const { return tokens_.at(number_of(input)); }
    // The operator that computes an input; nullopt for inputs of the model and constants.
    [[nodiscard]] std::optional<Operation> maker(std::size_t input) const;
    [[nodiscard]] std::vector<std::int32_t> integers(std::size_t input) const;       // of a constant of int32
    [[nodiscard]] std::int32_t integer(std::size_t input) const;                     // of a constant of one int32
    [[nodiscard]] std::vector<std::int64_t> wide_integers(std::size_t input) const;  // of int32 or int64
    [[nodiscard]] const tflite::Model& model() const { return model_; }
    [[nodiscard]] const tflite::Operator& stored() const { return op_; }

    // The stored options; those that the file leaves out have their defaults.
    template <typename Options>
    [[nodiscard]] const Options& options() const {
        alignas(std::uint32_t) static constexpr std::array<std::uint8_t, 12> kNoFields{8U, 0U, 0U, 0U, 4U, 0U,
                                                                                       4U, 0U, 4U, 0U, 0U, 0U};
        const Options* const stored = op_.stored->builtin_options_as<Options>();
        return (stored == nullptr) ? *flatbuffers::GetRoot<Options>(kNoFields.data()) : *stored;
    }

    void set(Tokens tokens, std::size_t output = 0U);

    // The contents of the state of that name; `first` before the first step.
    [[nodiscard]] Tokens& state(const std::string& name, const Tokens& first) {
        state_.before.try_emplace(name, first);
        return state_.now.try_emplace(name, first).first->second;
    }
    [[nodiscard]] Tokens& state_of(std::size_t input, const Tokens& first) {  // of a variable tensor
        return state("tensor " + std::to_string(number_of(input)), first);
    }

    // The result of a kernel with these argument words, whose addresses are 0, and these operands.
    template <typename Arguments>
    [[nodiscard]] Tokens launch(refdev::KernelId kernel, const Arguments& arguments, std::vector<Tokens> operands,
                                std::size_t output_bytes) {
        return define({computation(kernel, arguments, std::move(operands), output_bytes)});
    }

    // Sets the output to the result of a kernel.
    template <typename Arguments>
    void compute(refdev::KernelId kernel, const Arguments& arguments, std::vector<Tokens> operands) {
        set(launch(kernel, arguments, std::move(operands), out().size_bytes));
    }

    // A launch's words and what it reads.
    template <typename Arguments>
    struct Work {
        Arguments arguments;
        std::vector<Tokens> operands;
    };
    // The same of two launches that have the same result: the binary may hold either.
    template <typename Arguments>
    void compute_either(refdev::KernelId kernel, const Work<Arguments>& first, const Work<Arguments>& second) {
        set(define({computation(kernel, first.arguments, first.operands, out().size_bytes),
                    computation(kernel, second.arguments, second.operands, out().size_bytes)}));
    }

    [[noreturn]] static void not_understood(const std::string& what) { throw Mismatch{"not understood: " + what}; }

  private:
    template <typename Arguments>
    [[nodiscard]] static Computation computation(refdev::KernelId kernel, const Arguments& arguments,
                                                 std::vector<Tokens> operands, std::size_t output_bytes) {
        Computation computation{static_cast<std::uint32_t>(kernel), {}, std::move(operands), output_bytes};
        computation.words.resize(refdev::kArgumentWords<Arguments>);
        std::memcpy(computation.words.data(), &arguments, sizeof(Arguments));
        return computation;
    }
    // The result of each of `same`.
    [[nodiscard]] Tokens define(const std::vector<Computation>& same);

    [[nodiscard]] std::size_t number_of(std::size_t input) const {
        return static_cast<std::size_t>(static_cast<std::uint32_t>(op_.inputs.at(input)));
    }

    const tflite::Model& model_;
    const tflite::Operator& op_;
    std::uint32_t index_;
    std::vector<Tokens>& tokens_;
    State& state_;
    Expressions& expressions_;
};

// For a tensor with one scale; throws Mismatch for others.
[[nodiscard]] float scale_of(const Tensor& tensor);
[[nodiscard]] std::int32_t zero_point_of(const Tensor& tensor);  // 0 if it has none
[[nodiscard]] std::size_t element_bytes_of(const Tensor& tensor);
[[nodiscard]] bool is_int16(const Tensor& tensor);
[[nodiscard]] std::size_t product_of(const Shape& shape, std::size_t first, std::size_t end);
// An axis that may count from the end.
[[nodiscard]] std::size_t axis_of(std::int64_t axis, std::size_t rank);

// Constants.
[[nodiscard]] Tokens tokens_of(ByteSpan bytes);
[[nodiscard]] Tokens tokens_of(std::int32_t word);
void append_integer(Tokens& all, std::int64_t value, std::size_t bytes);
void append(Tokens& all, const Tokens& more);

// For every element of a tensor of that shape, in order: its index along each axis.
void for_each_index(const Shape& shape, const std::function<void(const Shape& index)>& visit);
// An element's number in a tensor of that shape.
[[nodiscard]] std::size_t offset_of(const Shape& shape, const Shape& index);
void append_element(Tokens& all, const Tokens& from, std::size_t element, std::size_t element_bytes);

// Sets the outputs of an operator. Throws Mismatch.
void evaluate(Operation& op);

// What an output takes over from the inputs that it is made of.
enum class Kept : std::uint8_t {
    kNothing,
    kNumbers,  // type, scale and zero point: bytes are moved
    kType,
    kTruth,  // the output is a truth value, and the inputs have one type
};
struct Premise {
    Kept kept{Kept::kNothing};
    std::uint32_t inputs{0U};  // bit i: input i is one of them
};
inline constexpr std::uint32_t kFirst = 1U;
inline constexpr std::uint32_t kSecond = 2U;
inline constexpr std::uint32_t kThird = 4U;
inline constexpr std::uint32_t kAllInputs = UINT32_MAX;
inline constexpr Premise kNothing{};
inline constexpr Premise kMoved{Kept::kNumbers, kFirst};
inline constexpr Premise kSecondMoved{Kept::kNumbers, kSecond};
inline constexpr Premise kPairMoved{Kept::kNumbers, kFirst | kSecond};
inline constexpr Premise kAllMoved{Kept::kNumbers, kAllInputs};
inline constexpr Premise kSameType{Kept::kType, kFirst};
inline constexpr Premise kSameTypes{Kept::kType, kFirst | kSecond};
inline constexpr Premise kTruthOfPair{Kept::kTruth, kFirst | kSecond};

// Results that have a fixed scale and zero point, by the types of the first operand and of the result. The
// specification allows a deviation of a thousandth for SOFTMAX of int16.
struct FixedNumbers {
    std::int8_t from{tflite::kTypeInt8};
    std::int8_t to{tflite::kTypeInt8};
    float scale{0.0F};
    std::int32_t zero_point{0};
    float slack{0.0F};
};

// An operator: how its outputs are computed, and what must hold before. Each has one row, in the source of its kind.
using Evaluate = void (*)(Operation& op);
struct Entry {
    tflite::format::BuiltinOperator code{tflite::format::BuiltinOperator_ADD};
    Evaluate evaluate{nullptr};
    Premise premise{};
    void (*check_shape)(const Operation& op){nullptr};  // of outputs whose shape operands or options determine
    Span<const FixedNumbers> results{};                 // empty: of any scale
};
using Entries = Span<const Entry>;
[[nodiscard]] Entries choice_operators();
[[nodiscard]] Entries function_operators();
[[nodiscard]] Entries layer_operators();
[[nodiscard]] Entries matrix_operators();
[[nodiscard]] Entries movement_operators();
[[nodiscard]] Entries pair_operators();
[[nodiscard]] Entries row_operators();
[[nodiscard]] Entries state_operators();
[[nodiscard]] Entries whole_operators();  // of numbers without scales
[[nodiscard]] Entries wide_operators();
// How an operator is computed if its first input is int32; nullptr if as for other types.
[[nodiscard]] Evaluate evaluation_of_int32(std::int32_t code);

}  // namespace pianola::decompile
