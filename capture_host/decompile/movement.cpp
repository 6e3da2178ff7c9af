#include <algorithm>
#include <cmath>

#include "capture_host/decompile/operation.h"
#include "capture_host/decompile/shapes.h"

namespace pianola::decompile {
namespace {

namespace format = tflite::format;

// An output made of elements of input `input`: `place` computes the place in the input from that in the output.
// Elements without a place are `filling`. `from` has the input's rank; `place` may set it to a negative or too large
// value.
using Place = std::function<void(const Shape& index, std::vector<std::int64_t>& from)>;

Tokens placed(const Operation& op, std::size_t input, const Shape& out, const Place& place,
              const Tokens& filling = {}) {
    const Shape& shape = op.in(input).shape;
    const std::size_t bytes = element_bytes_of(op.in(input));
    Tokens tokens;
    std::vector<std::int64_t> from(shape.size(), 0);
    for_each_index(out, [&](const Shape& index) {
        place(index, from);
        std::size_t offset = 0U;
        bool is_inside = true;
        for (std::size_t axis = 0U; axis < shape.size(); ++axis) {
            is_inside = is_inside && (from[axis] >= 0) && (from[axis] < std::int64_t{shape[axis]});
            offset = (offset * shape[axis]) + static_cast<std::size_t>(from[axis]);
        }
        if (is_inside) {
            append_element(tokens, op.bytes(input), offset, bytes);
        } else if (!filling.empty()) {
            tokens.insert(tokens.end(), filling.begin(), filling.end());
        } else {
            throw Mismatch{"it reads outside its input"};
        }
    });
    return tokens;
}

void set_placed(Operation& op, const Place& place, const Tokens& filling = {}) {
    op.set(placed(op, 0U, op.out().shape, place, filling));
}

void same_bytes(Operation& op) {
    op.set(op.bytes(0U));
}

// Joins along an axis: `rows` times a part of each input.
void join(Operation& op, std::size_t rows) {
    Tokens tokens;
    for (std::size_t row = 0U; row < rows; ++row) {
        for (std::size_t i = 0U; i < op.inputs(); ++i) {
            const Tokens& part = op.bytes(i);
            const auto length = static_cast<std::ptrdiff_t>(part.size() / rows);
            const auto first = part.begin() + (static_cast<std::ptrdiff_t>(row) * length);
            tokens.insert(tokens.end(), first, first + length);
        }
    }
    op.set(tokens);
}

void concatenation(Operation& op) {
    const auto& options = op.options<format::ConcatenationOptions>();
    if (options.fused_activation_function() != 0) {
        Operation::not_understood("a fused activation");
    }
    const Shape& shape = op.out().shape;
    join(op, product_of(shape, 0U, axis_of(options.axis(), shape.size())));
}

void pack(Operation& op) {
    const Shape& shape = op.out().shape;
    join(op, product_of(shape, 0U, axis_of(op.options<format::PackOptions>().axis(), shape.size())));
}

// The way back: each row is a part of each output.
void part(Operation& op, std::size_t input, std::size_t rows) {
    const Tokens& whole = op.bytes(input);
    const std::size_t row_bytes = whole.size() / rows;
    std::size_t start = 0U;
    for (std::size_t i = 0U; i < op.outputs(); ++i) {
        const std::size_t length = op.out(i).size_bytes / rows;
        Tokens tokens;
        for (std::size_t row = 0U; row < rows; ++row) {
            for (std::size_t at = 0U; at < length; ++at) {
                tokens.push_back(whole.at((row * row_bytes) + start + at));
            }
        }
        start += length;
        op.set(tokens, i);
    }
    if (start != row_bytes) {
        throw Mismatch{"its outputs are not the whole of its input"};
    }
}

void split(Operation& op) {
    const Shape& shape = op.in(1U).shape;
    part(op, 1U, product_of(shape, 0U, axis_of(op.integer(0U), shape.size())));
}

void split_v(Operation& op) {
    const Shape& shape = op.in(0U).shape;
    part(op, 0U, product_of(shape, 0U, axis_of(op.integer(2U), shape.size())));
}

void unpack(Operation& op) {
    const Shape& shape = op.in(0U).shape;
    part(op, 0U, product_of(shape, 0U, axis_of(op.options<format::UnpackOptions>().axis(), shape.size())));
}

void transpose(Operation& op) {
    const std::vector<std::int32_t> order = op.integers(1U);
    set_placed(op, [&](const Shape& index, std::vector<std::int64_t>& from) {
        for (std::size_t axis = 0U; axis < order.size(); ++axis) {
            from.at(axis_of(order[axis], from.size())) = index[axis];
        }
    });
}

void slice(Operation& op) {
    const std::vector<std::int32_t> begins = op.integers(1U);
    set_placed(op, [&](const Shape& index, std::vector<std::int64_t>& from) {
        for (std::size_t axis = 0U; axis < from.size(); ++axis) {
            from[axis] = std::int64_t{begins.at(axis)} + index[axis];
        }
    });
}

void strided_slice(Operation& op) {
    const auto& options = op.options<format::StridedSliceOptions>();
    if ((options.ellipsis_mask() != 0) || (options.new_axis_mask() != 0)) {
        Operation::not_understood("an ellipsis, or a new axis");
    }
    const std::vector<std::int32_t> begins = op.integers(1U);
    const std::vector<std::int32_t> ends = op.integers(2U);
    const std::vector<std::int32_t> strides = op.integers(3U);
    const Shape& shape = op.in(0U).shape;
    const auto is_set = [](std::int32_t mask, std::size_t axis) {
        return ((static_cast<std::uint32_t>(mask) >> axis) & 1U) != 0U;
    };
    std::vector<std::int64_t> first(shape.size(), 0);
    Shape counts = shape;
    for (std::size_t axis = 0U; axis < begins.size(); ++axis) {
        const std::int64_t size = shape.at(axis);
        const std::int64_t stride = strides.at(axis);
        if (stride == 0) {
            Operation::not_understood("a stride of 0");
        }
        const bool goes_up = stride > 0;
        const auto bound = [&](std::int64_t place) {
            const std::int64_t from_front = (place < 0) ? (place + size) : place;
            return std::clamp<std::int64_t>(from_front, goes_up ? 0 : -1, goes_up ? size : (size - 1));
        };
        first[axis] = is_set(options.begin_mask(), axis) ? (goes_up ? 0 : (size - 1)) : bound(begins[axis]);
        const std::int64_t wanted = ends.at(axis) + (options.offset() ? first[axis] : 0);
        std::int64_t end = is_set(options.end_mask(), axis) ? (goes_up ? size : -1) : bound(wanted);
        if (is_set(options.shrink_axis_mask(), axis)) {
            if (!goes_up) {
                Operation::not_understood("a negative stride of a dimension that goes away");
            }
            end = first[axis] + 1;
        }
        counts[axis] = static_cast<std::uint32_t>(
            std::max<std::int64_t>(0, (end - first[axis] + stride + (goes_up ? -1 : 1)) / stride));
    }
    Sizes left;
    for (std::size_t axis = 0U; axis < counts.size(); ++axis) {
        if (!is_set(options.shrink_axis_mask(), axis) || (axis >= begins.size())) {
            left.push_back(counts[axis]);
        }
    }
    require_shape(op, left);
    op.set(placed(op, 0U, counts, [&](const Shape& index, std::vector<std::int64_t>& from) {
        for (std::size_t axis = 0U; axis < from.size(); ++axis) {
            from[axis] = first[axis] + (std::int64_t{index[axis]} * ((axis < strides.size()) ? strides[axis] : 1));
        }
    }));
}

// Paddings stand as pairs, before and after each dimension; the sizes after follow from the output's shape.
void padded(Operation& op, const Tokens& filling) {
    const std::vector<std::int32_t> paddings = op.integers(1U);
    set_placed(
        op,
        [&](const Shape& index, std::vector<std::int64_t>& from) {
            for (std::size_t axis = 0U; axis < from.size(); ++axis) {
                from[axis] = std::int64_t{index[axis]} - paddings.at(2U * axis);
            }
        },
        filling);
}

Tokens zero_of(const Operation& op) {
    Tokens zero = tokens_of(zero_point_of(op.out()));
    zero.resize(element_bytes_of(op.out()), 0U);
    return zero;
}

void pad(Operation& op) {
    padded(op, zero_of(op));
}

void pad_v2(Operation& op) {
    padded(op, op.bytes(2U));
}

void mirror_pad(Operation& op) {
    constexpr int kReflect = 0;
    constexpr int kSymmetric = 1;
    const int mode = op.options<format::MirrorPadOptions>().mode();
    if ((mode != kReflect) && (mode != kSymmetric)) {
        Operation::not_understood("its mode");
    }
    const std::vector<std::int32_t> paddings = op.integers(1U);
    const std::int64_t edge = (mode == kReflect) ? 0 : 1;
    const Shape& shape = op.in(0U).shape;
    set_placed(op, [&](const Shape& index, std::vector<std::int64_t>& from) {
        for (std::size_t axis = 0U; axis < from.size(); ++axis) {
            const std::int64_t at = std::int64_t{index[axis]} - paddings.at(2U * axis);
            const std::int64_t size = shape[axis];
            const std::int64_t below = -at - edge;
            const std::int64_t above = (2 * size) - 2 - at + edge;
            from[axis] = (at < 0) ? below : ((at >= size) ? above : at);
        }
    });
}

void reverse(Operation& op) {
    const std::vector<std::int32_t> axes = op.integers(1U);
    const Shape& shape = op.in(0U).shape;
    set_placed(op, [&](const Shape& index, std::vector<std::int64_t>& from) {
        std::copy(index.begin(), index.end(), from.begin());
        for (const std::int32_t each : axes) {
            const std::size_t axis = axis_of(each, shape.size());
            from.at(axis) = std::int64_t{shape.at(axis)} - 1 - index.at(axis);
        }
    });
}

// TILE and BROADCAST_TO: axes count from the last, and the input is repeated.
void repeat(Operation& op) {
    const Shape& shape = op.in(0U).shape;
    const std::size_t front = op.out().shape.size() - shape.size();
    set_placed(op, [&](const Shape& index, std::vector<std::int64_t>& from) {
        for (std::size_t axis = 0U; axis < from.size(); ++axis) {
            from[axis] = index.at(front + axis) % shape[axis];
        }
    });
}

void fill(Operation& op) {
    Tokens tokens;
    for (std::size_t i = 0U; i < op.out().elements; ++i) {
        append_element(tokens, op.bytes(1U), 0U, element_bytes_of(op.out()));
    }
    op.set(tokens);
}

void zeros_like(Operation& op) {
    op.set(Tokens(op.out().size_bytes, 0U));
}

void shape(Operation& op) {
    Tokens tokens;
    for (const std::uint32_t size : op.in(0U).shape) {
        append_integer(tokens, size, sizeof(std::int32_t));
    }
    op.set(tokens);
}

constexpr std::array<Entry, 20> kMovements{
    {{format::BuiltinOperator_SHAPE, shape},
     {format::BuiltinOperator_RESHAPE, same_bytes, kMoved},
     {format::BuiltinOperator_SQUEEZE, same_bytes, kMoved, shaped<shapes::squeezed>},
     {format::BuiltinOperator_EXPAND_DIMS, same_bytes, kMoved, shaped<shapes::expanded>},
     {format::BuiltinOperator_CONCATENATION, concatenation, kAllMoved, shaped<shapes::joined>},
     {format::BuiltinOperator_PACK, pack, kAllMoved, shaped<shapes::packed>},
     {format::BuiltinOperator_SPLIT, split, kSecondMoved, shapes::check_split},
     {format::BuiltinOperator_SPLIT_V, split_v, kMoved, shapes::check_split_v},
     {format::BuiltinOperator_UNPACK, unpack, kMoved, shapes::check_unpacked},
     {format::BuiltinOperator_TRANSPOSE, transpose, kMoved, shaped<shapes::turned>},
     {format::BuiltinOperator_SLICE, slice, kMoved, shaped<shapes::sliced>},
     {format::BuiltinOperator_STRIDED_SLICE, strided_slice, kMoved},
     {format::BuiltinOperator_PAD, pad, kMoved, shaped<shapes::padded>},
     {format::BuiltinOperator_PADV2, pad_v2, {Kept::kNumbers, kFirst | kThird}, shaped<shapes::padded>},
     {format::BuiltinOperator_MIRROR_PAD, mirror_pad, kMoved, shaped<shapes::padded>},
     {format::BuiltinOperator_REVERSE_V2, reverse, kMoved, shaped<shapes::kept>},
     {format::BuiltinOperator_TILE, repeat, kMoved, shaped<shapes::tiled>},
     {format::BuiltinOperator_BROADCAST_TO, repeat, kMoved, shaped<shapes::broadcast>},
     {format::BuiltinOperator_FILL, fill, kSecondMoved, shaped<shapes::filled>},
     {format::BuiltinOperator_ZEROS_LIKE, zeros_like, kSameType, shaped<shapes::kept>}}};

}  // namespace

Entries movement_operators() {
    return kMovements;
}

}  // namespace pianola::decompile
