#include "capture_host/decompile/premises.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "capture_host/tflite/model/import_error.h"

namespace pianola::decompile {
namespace {

namespace format = tflite::format;

constexpr std::uint64_t kMostBytes = std::uint64_t{256U} * 1024U * 1024U;  // a token is four times as large as its byte

// Whether the operand is the state of a layer: a variable tensor, which no operator writes.
bool is_state(const tflite::Model& model, const tflite::Operator& op, std::size_t position) {
    constexpr std::size_t kMemoryOfSvdf = 4U;
    constexpr std::size_t kHiddenOfLstm = 18U;
    constexpr std::size_t kCellOfLstm = 19U;
    const bool is_place = (op.code == format::BuiltinOperator_SVDF)
                              ? (position == kMemoryOfSvdf)
                              : ((op.code == format::BuiltinOperator_UNIDIRECTIONAL_SEQUENCE_LSTM) &&
                                 ((position == kHiddenOfLstm) || (position == kCellOfLstm)));
    return is_place && model.tensors.at(static_cast<std::uint32_t>(op.inputs[position])).is_variable;
}

// The tensors that are written before each operator.
class Order {
  public:
    explicit Order(const tflite::Model& model) : model_{model}, is_written_(model.tensors.size(), false) {
        for (std::size_t i = 0U; i < model.tensors.size(); ++i) {
            is_written_[i] = model.tensors[i].is_constant;
        }
        for (const std::uint32_t input : model.inputs) {
            if (model.tensors.at(input).is_variable || is_written_[input]) {
                throw Mismatch{
                    fmt::format("not understood: input '{}' of the model is a variable, constant, or an "
                                "input twice",
                                model.tensors[input].name)};
            }
            is_written_[input] = true;
        }
    }

    void add(const tflite::Operator& op) {
        if (op.code == format::BuiltinOperator_CALL_ONCE) {
            add_call(op);
        }
        for (std::size_t i = 0U; i < op.inputs.size(); ++i) {
            const bool is_read = (op.inputs[i] != tflite::kAbsent) && !is_state(model_, op, i) &&
                                 !tflite::is_unread_shape(model_, op, i);
            if (is_read && !is_written_.at(static_cast<std::uint32_t>(op.inputs[i]))) {
                Operation::not_understood(fmt::format("it reads '{}', which nothing has written", name_of(op, i)));
            }
        }
        for (const std::int32_t output : op.outputs) {
            const auto number = static_cast<std::uint32_t>(output);
            if (model_.tensors.at(number).is_variable || is_written_[number]) {
                Operation::not_understood(
                    fmt::format("it writes '{}', which is a variable, constant, an input, or written already",
                                model_.tensors[number].name));
            }
            is_written_[number] = true;
        }
    }

  private:
    void add_call(const tflite::Operator& op) {
        const auto* const options = op.stored->builtin_options_as_CallOnceOptions();
        if (!called_.insert((options == nullptr) ? 0 : options->init_subgraph_index()).second) {
            Operation::not_understood("a graph that is called twice");
        }
    }

    [[nodiscard]] const std::string& name_of(const tflite::Operator& op, std::size_t input) const {
        return model_.tensors.at(static_cast<std::uint32_t>(op.inputs[input])).name;
    }

    const tflite::Model& model_;
    std::vector<bool> is_written_;
    std::set<std::int32_t> called_;
};

bool has_same_numbers(const Tensor& one, const Tensor& other) {
    return (one.quantization.scales == other.quantization.scales) &&
           (one.quantization.zero_points == other.quantization.zero_points);
}

void check_kept(const Operation& op, const Premise& premise) {
    for (std::size_t output = 0U; output < op.outputs(); ++output) {
        const Tensor& to = op.out(output);
        if ((premise.kept == Kept::kTruth) && (to.type != tflite::kTypeBool)) {
            Operation::not_understood(fmt::format("'{}' is no truth value", to.name));
        }
        std::uint32_t inputs = premise.inputs;
        for (std::size_t input = 0U; input < op.inputs(); ++input) {
            const bool is_meant = (inputs & 1U) != 0U;
            inputs = (premise.inputs == kAllInputs) ? kAllInputs : (inputs >> 1U);
            if (!is_meant) {
                continue;
            }
            if (!op.has(input)) {
                Operation::not_understood("an operand that is missing");
            }
            const Tensor& from = op.in(input);
            const Tensor& like = (premise.kept == Kept::kTruth) ? op.in(0U) : to;
            if (from.type != like.type) {
                Operation::not_understood(fmt::format("'{}' and '{}' differ in type", from.name, like.name));
            }
            if ((premise.kept == Kept::kNumbers) && !has_same_numbers(from, to)) {
                Operation::not_understood(fmt::format("'{}' and '{}' differ in quantisation", from.name, to.name));
            }
        }
    }
}

void check_results(const Operation& op, Span<const FixedNumbers> results) {
    const Tensor& to = op.out();
    const bool is_right = std::any_of(results.begin(), results.end(), [&](const FixedNumbers& fixed) {
        return (fixed.from == op.in(0U).type) && (fixed.to == to.type) &&
               (std::fabs(scale_of(to) - fixed.scale) <= (fixed.scale * fixed.slack)) &&
               (fixed.zero_point == zero_point_of(to));
    });
    if (!is_right) {
        Operation::not_understood(fmt::format("'{}' has another scale or zero point than such results have", to.name));
    }
}

// Operands must exist; capture refuses such a model with the same error.
void check_operands_exist(const tflite::Model& model) {
    for (std::uint32_t i = 0U; i < model.operators.size(); ++i) {
        const tflite::Operator& op = model.operators[i];
        for (const std::vector<std::int32_t>* const operands : {&op.inputs, &op.outputs}) {
            for (const std::int32_t operand : *operands) {
                if ((operand != tflite::kAbsent) && (static_cast<std::uint32_t>(operand) >= model.tensors.size())) {
                    throw tflite::ImportError(i, op.name, fmt::format("tensor {} does not exist", operand));
                }
            }
        }
    }
}

}  // namespace

void check_graph(const tflite::Model& model) {
    check_operands_exist(model);
    std::uint64_t bytes = 0U;
    for (const Tensor& tensor : model.tensors) {
        bytes += tensor.is_constant ? 0U : tensor.size_bytes;
    }
    if (bytes > kMostBytes) {
        throw Mismatch{fmt::format("not understood: more than {} bytes of tensors that are computed", kMostBytes)};
    }
    Order order{model};
    for (std::size_t i = 0U; i < model.operators.size(); ++i) {
        try {
            order.add(model.operators[i]);
        } catch (const Mismatch& mismatch) {
            throw Mismatch{fmt::format("operator {} ({}): {}", i, model.operators[i].name, mismatch.what())};
        }
    }
}

void check_premises(const Operation& op, const Entry& entry) {
    if (entry.premise.kept != Kept::kNothing) {
        check_kept(op, entry.premise);
    }
    if (!entry.results.empty()) {
        check_results(op, entry.results);
    }
}

}  // namespace pianola::decompile
