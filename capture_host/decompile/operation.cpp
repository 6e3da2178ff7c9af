#include "capture_host/decompile/operation.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "capture_host/decompile/premises.h"
#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/kernel.h"
#include "hal/devices/refdev/kernels/packed_weights.h"
#include "pianola/bytes.h"

namespace pianola::decompile {
namespace {

using refdev::KernelId;
using refdev::LayerShape;
using refdev::WeightsLayout;
using Bytes = std::vector<std::int8_t>;

constexpr std::size_t kFilter = 1U;
constexpr std::size_t kTable = 2U;

struct Layer {
    LayerShape shape{};
    std::size_t layout_word{0U};
};

std::optional<Layer> layer_of(const Computation& plain) {
    const WordSpan words{plain.words.data(), plain.words.size()};
    if (plain.kernel == static_cast<std::uint32_t>(KernelId::kFullyConnected)) {
        const auto a = refdev::arguments_from_words<refdev::FullyConnectedArguments>(words);
        if (a.filter_offset == 0) {
            return Layer{{a.output_depth, a.input_depth, a.input_offset},
                         refdev::word_of(offsetof(refdev::FullyConnectedArguments, weights_layout))};
        }
    }
    if (plain.kernel == static_cast<std::uint32_t>(KernelId::kConv2d)) {
        const auto a = refdev::arguments_from_words<refdev::Conv2dArguments>(words);
        if (a.filter_channels == a.input_channels) {
            return Layer{{a.output_channels, a.filter_height * a.filter_width * a.filter_channels, a.input_offset},
                         refdev::word_of(offsetof(refdev::Conv2dArguments, weights_layout))};
        }
    }
    return std::nullopt;
}

bool is_constant(const Tokens& tokens) {
    return std::all_of(tokens.begin(), tokens.end(), [](Token token) { return token < kUndefined; });
}

Bytes bytes_of(const Tokens& tokens) {
    Bytes bytes;
    for (const Token token : tokens) {
        bytes.push_back(static_cast<std::int8_t>(static_cast<std::uint8_t>(token)));
    }
    return bytes;
}

Tokens tokens_of_packed(const Bytes& bytes) {
    Tokens tokens;
    for (const std::int8_t byte : bytes) {
        tokens.push_back(static_cast<std::uint8_t>(byte));
    }
    return tokens;
}

// The same layer with its weights in the layouts that `capture --pack` makes, which are the device's
// (hal/devices/refdev/kernels/packed_weights.h). None if the computation is no layer of constant weights, or no layout
// has it.
std::vector<Computation> packed_forms(const Computation& plain) {
    std::vector<Computation> forms;
    const std::optional<Layer> layer = layer_of(plain);
    if (!layer.has_value() || !is_constant(plain.operands[kFilter]) || !is_constant(plain.operands[kTable])) {
        return forms;
    }
    const LayerShape& shape = layer->shape;
    const Bytes filter = bytes_of(plain.operands[kFilter]);
    const Bytes table = bytes_of(plain.operands[kTable]);
    for (const WeightsLayout layout : {WeightsLayout::kDsp, WeightsLayout::kMve}) {
        if (!can_pack(layout, shape, {filter.data(), table.data()})) {
            continue;
        }
        const std::uint64_t channels = packed_channels(layout, shape.channels);
        Bytes packed_filter(channels * packed_row_bytes(layout, shape.taps));
        Bytes packed_table(channels * refdev::kChannelParametersBytes);
        pack_weights(layout, shape, {filter.data(), table.data()}, {packed_filter.data(), packed_table.data()});
        Computation form = plain;
        form.words.at(layer->layout_word) = static_cast<std::uint32_t>(layout);
        form.operands[kFilter] = tokens_of_packed(packed_filter);
        form.operands[kTable] = tokens_of_packed(packed_table);
        forms.push_back(form);
    }
    return forms;
}

// Operators of int32 have premises and shapes like those of other types.
void evaluate_as(const Entry& entry, Operation& op) {
    check_premises(op, entry);
    if (entry.check_shape != nullptr) {
        entry.check_shape(op);
    }
    const bool is_int32 = op.has(0U) && (op.in(0U).type == tflite::kTypeInt32);
    const Evaluate evaluate_int32 = is_int32 ? evaluation_of_int32(op.code()) : nullptr;
    ((evaluate_int32 != nullptr) ? evaluate_int32 : entry.evaluate)(op);
}

}  // namespace

std::vector<std::int32_t> Operation::integers(std::size_t input) const {
    const Tensor& tensor = in(input);
    if (!tensor.is_constant || (tensor.type != tflite::kTypeInt32)) {
        not_understood("an operand that is no constant of int32");
    }
    std::vector<std::int32_t> values;
    for (std::size_t i = 0U; i < tensor.elements; ++i) {
        values.push_back(static_cast<std::int32_t>(load_le32(tensor.contents, i * sizeof(std::int32_t))));
    }
    return values;
}

std::int32_t Operation::integer(std::size_t input) const {
    const std::vector<std::int32_t> values = integers(input);
    if (values.size() != 1U) {
        not_understood("an operand of more than one number");
    }
    return values.front();
}

std::vector<std::int64_t> Operation::wide_integers(std::size_t input) const {
    const Tensor& tensor = in(input);
    if (!tensor.is_constant || (tensor.type != tflite::kTypeInt64)) {
        const std::vector<std::int32_t> narrow = integers(input);
        return {narrow.begin(), narrow.end()};
    }
    std::vector<std::int64_t> values;
    for (std::size_t i = 0U; i < tensor.elements; ++i) {
        const std::size_t at = i * sizeof(std::int64_t);
        const std::uint64_t low = load_le32(tensor.contents, at);
        const std::uint64_t high = load_le32(tensor.contents, at + sizeof(std::uint32_t));
        values.push_back(static_cast<std::int64_t>((high << 32U) | low));
    }
    return values;
}

std::optional<Operation> Operation::maker(std::size_t input) const {
    for (std::uint32_t i = 0U; i < index_; ++i) {
        const std::vector<std::int32_t>& outputs = model_.operators[i].outputs;
        if (std::find(outputs.begin(), outputs.end(), op_.inputs.at(input)) != outputs.end()) {
            return Operation{model_, i, tokens_, state_, expressions_};
        }
    }
    return std::nullopt;
}

Tokens Operation::define(const std::vector<Computation>& same) {
    std::vector<Computation> forms(same.begin() + 1, same.end());
    for (const Computation& computation : same) {
        const std::vector<Computation> packed = packed_forms(computation);
        forms.insert(forms.end(), packed.begin(), packed.end());
    }
    return expressions_.define(same.front(), forms, index_);
}

void Operation::set(Tokens tokens, std::size_t output) {
    const auto number = static_cast<std::size_t>(op_.outputs.at(output));
    if (tokens.size() != model_.tensors.at(number).size_bytes) {
        throw Mismatch{"its output has another size than follows from its operands"};
    }
    tokens_.at(number) = std::move(tokens);
}

float scale_of(const Tensor& tensor) {
    if (tensor.quantization.scales.size() != 1U) {
        Operation::not_understood("'" + tensor.name + "' without one scale");
    }
    return tensor.quantization.scales.front();
}

std::int32_t zero_point_of(const Tensor& tensor) {
    return tensor.quantization.zero_points.empty() ? 0 : tensor.quantization.zero_points.front();
}

std::size_t element_bytes_of(const Tensor& tensor) {
    return tensor.size_bytes / tensor.elements;
}

bool is_int16(const Tensor& tensor) {
    return tensor.type == tflite::kTypeInt16;
}

std::size_t product_of(const Shape& shape, std::size_t first, std::size_t end) {
    std::size_t product = 1U;
    for (std::size_t i = first; i < end; ++i) {
        product *= shape.at(i);
    }
    return product;
}

std::size_t axis_of(std::int64_t axis, std::size_t rank) {
    const std::int64_t from_front = (axis < 0) ? (axis + static_cast<std::int64_t>(rank)) : axis;
    if ((from_front < 0) || (from_front > static_cast<std::int64_t>(rank))) {
        Operation::not_understood("an axis outside the shape");
    }
    return static_cast<std::size_t>(from_front);
}

Tokens tokens_of(ByteSpan bytes) {
    return {bytes.begin(), bytes.end()};
}

Tokens tokens_of(std::int32_t word) {
    Tokens tokens;
    append_integer(tokens, word, sizeof(word));
    return tokens;
}

void append_integer(Tokens& all, std::int64_t value, std::size_t bytes) {
    for (std::size_t i = 0U; i < bytes; ++i) {
        all.push_back(static_cast<Token>((static_cast<std::uint64_t>(value) >> (i * kByteBits)) & UINT8_MAX));
    }
}

void append(Tokens& all, const Tokens& more) {
    all.insert(all.end(), more.begin(), more.end());
}

void for_each_index(const Shape& shape, const std::function<void(const Shape& index)>& visit) {
    Shape index(shape.size(), 0U);
    std::size_t count = 1U;
    for (const std::uint32_t size : shape) {
        count *= size;
        if (count > tflite::kMaxTensorBytes) {
            Operation::not_understood("more elements than a tensor has");
        }
    }
    for (std::size_t i = 0U; i < count; ++i) {
        visit(index);
        for (std::size_t axis = shape.size(); axis > 0U; --axis) {
            index[axis - 1U] += 1U;
            if (index[axis - 1U] < shape[axis - 1U]) {
                break;
            }
            index[axis - 1U] = 0U;
        }
    }
}

std::size_t offset_of(const Shape& shape, const Shape& index) {
    std::size_t offset = 0U;
    for (std::size_t axis = 0U; axis < shape.size(); ++axis) {
        offset = (offset * shape[axis]) + index.at(axis);
    }
    return offset;
}

void append_element(Tokens& all, const Tokens& from, std::size_t element, std::size_t element_bytes) {
    for (std::size_t i = 0U; i < element_bytes; ++i) {
        all.push_back(from.at((element * element_bytes) + i));
    }
}

void evaluate(Operation& op) {
    for (const Entries& entries :
         {choice_operators(), function_operators(), layer_operators(), matrix_operators(), movement_operators(),
          pair_operators(), row_operators(), state_operators(), whole_operators(), wide_operators()}) {
        for (const Entry& entry : entries) {
            if (entry.code == op.code()) {
                evaluate_as(entry, op);
                return;
            }
        }
    }
    Operation::not_understood("an operator without a matcher");
}

}  // namespace pianola::decompile
