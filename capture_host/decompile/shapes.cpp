#include <algorithm>

#include "capture_host/decompile/premises.h"

namespace pianola::decompile {
namespace {

namespace format = tflite::format;

Sizes kept(const Operation& op) {
    return input_shape(op);
}

// Paddings stand as pairs, before and after each dimension.
Sizes padded(const Operation& op) {
    Sizes sizes = input_shape(op);
    const std::vector<std::int32_t> paddings = op.integers(1U);
    if (paddings.size() != (2U * sizes.size())) {
        Operation::not_understood("paddings that do not fit its rank");
    }
    for (std::size_t axis = 0U; axis < sizes.size(); ++axis) {
        const std::int64_t before = paddings[2U * axis];
        const std::int64_t after = paddings[(2U * axis) + 1U];
        if ((before < 0) || (after < 0)) {
            Operation::not_understood("negative paddings");
        }
        sizes[axis] += before + after;
    }
    return sizes;
}

Sizes tiled(const Operation& op) {
    Sizes sizes = input_shape(op);
    const std::vector<std::int32_t> times = op.integers(1U);
    for (std::size_t axis = 0U; axis < sizes.size(); ++axis) {
        sizes[axis] *= times.at(axis);
    }
    return sizes;
}

Sizes broadcast(const Operation& op) {
    const std::vector<std::int32_t> wanted = op.integers(1U);
    return {wanted.begin(), wanted.end()};
}

Sizes filled(const Operation& op) {
    const std::vector<std::int32_t> wanted = op.integers(0U);
    return {wanted.begin(), wanted.end()};
}

Sizes multiplied(const Operation& op) {
    constexpr std::size_t kRank = 2U;
    const auto& options = op.options<format::BatchMatMulOptions>();
    Sizes left = input_shape(op);
    Sizes right = input_shape(op, 1U);
    if ((left.size() < kRank) || (right.size() < kRank)) {
        Operation::not_understood("an operand that is no matrix");
    }
    const std::int64_t rows = left[left.size() - (options.adj_x() ? 1U : kRank)];
    const std::int64_t columns = right[right.size() - (options.adj_y() ? kRank : 1U)];
    left.resize(left.size() - kRank);
    right.resize(right.size() - kRank);
    Sizes batches = (left.size() < right.size()) ? right : left;
    for (const Sizes& operand : {left, right}) {
        for (std::size_t i = 0U; i < operand.size(); ++i) {
            std::int64_t& size = batches[batches.size() - operand.size() + i];
            size = std::max(size, operand[i]);
        }
    }
    batches.insert(batches.end(), {rows, columns});
    return batches;
}

Sizes expanded(const Operation& op) {
    Sizes sizes = input_shape(op);
    const std::size_t axis = axis_of(op.integer(1U), sizes.size() + 1U);
    if (axis > sizes.size()) {
        Operation::not_understood("an axis outside the shape");
    }
    sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(axis), 1);
    return sizes;
}

Sizes squeezed(const Operation& op) {
    const Sizes sizes = input_shape(op);
    const auto* const listed = op.options<format::SqueezeOptions>().squeeze_dims();
    const bool has_list = (listed != nullptr) && (listed->size() > 0U);
    std::vector<bool> goes(sizes.size(), false);
    for (std::size_t axis = 0U; axis < sizes.size(); ++axis) {
        goes[axis] = !has_list && (sizes[axis] == 1);
    }
    for (std::uint32_t i = 0U; has_list && (i < listed->size()); ++i) {
        const std::size_t axis = axis_of(listed->Get(i), sizes.size());
        if (sizes.at(axis) != 1) {
            Operation::not_understood("a dimension that goes and is not 1");
        }
        goes[axis] = true;
    }
    Sizes left;
    for (std::size_t axis = 0U; axis < sizes.size(); ++axis) {
        if (!goes[axis]) {
            left.push_back(sizes[axis]);
        }
    }
    return left;
}

// -1 is all that there is from the beginning on.
Sizes sliced(const Operation& op) {
    Sizes sizes = input_shape(op);
    const std::vector<std::int32_t> begins = op.integers(1U);
    const std::vector<std::int32_t> counts = op.integers(2U);
    for (std::size_t axis = 0U; axis < sizes.size(); ++axis) {
        const std::int64_t begin = begins.at(axis);
        const std::int64_t count = (counts.at(axis) == -1) ? (sizes[axis] - begin) : std::int64_t{counts[axis]};
        if ((begin < 0) || ((begin + count) > sizes[axis])) {
            Operation::not_understood("a slice of what its input lacks");
        }
        sizes[axis] = count;
    }
    return sizes;
}

Sizes resized(const Operation& op) {
    const std::vector<std::int32_t> wanted = op.integers(1U);
    Sizes sizes = input_shape(op);
    sizes.at(1U) = wanted.at(0U);
    sizes.at(2U) = wanted.at(1U);
    return sizes;
}

Sizes joined(const Operation& op) {
    Sizes sizes = input_shape(op);
    const std::size_t axis = axis_of(op.options<format::ConcatenationOptions>().axis(), sizes.size());
    std::int64_t along = 0;
    for (std::size_t i = 0U; i < op.inputs(); ++i) {
        Sizes part = input_shape(op, i);
        along += part.at(axis);
        part.at(axis) = sizes.at(axis);
        if (part != sizes) {
            Operation::not_understood("parts that do not fit each other");
        }
    }
    sizes.at(axis) = along;
    return sizes;
}

Sizes packed(const Operation& op) {
    Sizes sizes = input_shape(op);
    for (std::size_t i = 1U; i < op.inputs(); ++i) {
        if (input_shape(op, i) != sizes) {
            Operation::not_understood("parts that do not fit each other");
        }
    }
    const std::size_t axis = axis_of(op.options<format::PackOptions>().axis(), sizes.size() + 1U);
    sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(std::min(axis, sizes.size())),
                 static_cast<std::int64_t>(op.inputs()));
    return sizes;
}

Sizes turned(const Operation& op) {
    const Sizes sizes = input_shape(op);
    std::vector<bool> is_there(sizes.size(), false);
    Sizes moved;
    for (const std::int32_t each : op.integers(1U)) {
        const std::size_t axis = axis_of(each, sizes.size());
        if (is_there.at(axis)) {
            Operation::not_understood("a permutation that repeats a dimension");
        }
        is_there[axis] = true;
        moved.push_back(sizes[axis]);
    }
    return moved;
}

// The dimensions of the indices replace the axis, except those that are batches.
Sizes gathered(const Operation& op) {
    const auto& options = op.options<format::GatherOptions>();
    const Sizes sizes = input_shape(op);
    const Sizes places = input_shape(op, 1U);
    const std::size_t axis = axis_of(options.axis(), sizes.size());
    const std::size_t batches = axis_of(options.batch_dims(), places.size());
    if ((axis >= sizes.size()) || (batches > axis) ||
        !std::equal(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(batches), sizes.begin())) {
        Operation::not_understood("batches that do not fit its input");
    }
    Sizes found(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(axis));
    found.insert(found.end(), places.begin() + static_cast<std::ptrdiff_t>(batches), places.end());
    found.insert(found.end(), sizes.begin() + static_cast<std::ptrdiff_t>(axis) + 1, sizes.end());
    return found;
}

// What an index says takes the place of as many dimensions as it has parts.
Sizes gathered_by_places(const Operation& op) {
    const Sizes sizes = input_shape(op);
    Sizes found = input_shape(op, 1U);
    if (found.empty() || (found.back() < 1) || (found.back() > static_cast<std::int64_t>(sizes.size()))) {
        Operation::not_understood("places that do not fit its input");
    }
    const std::int64_t depth = found.back();
    found.pop_back();
    found.insert(found.end(), sizes.begin() + static_cast<std::ptrdiff_t>(depth), sizes.end());
    return found;
}

Sizes looked_up(const Operation& op) {
    Sizes sizes = input_shape(op, 1U);
    const Sizes indices = input_shape(op);
    if ((indices.size() != 1U) || sizes.empty()) {
        Operation::not_understood("indices that are no list");
    }
    sizes[0] = indices[0];
    return sizes;
}

std::int64_t divided(std::int64_t size, std::int64_t by) {
    if (by < 1) {
        Operation::not_understood("a block without elements");
    }
    if ((size % by) != 0) {
        Operation::not_understood("blocks that do not divide its input");
    }
    return size / by;
}

Sizes in_batches(const Operation& op) {
    Sizes sizes = input_shape(op);
    const std::vector<std::int32_t> blocks = op.integers(1U);
    const std::vector<std::int32_t> margins = op.integers(2U);
    for (std::size_t i = 0U; i < blocks.size(); ++i) {
        const std::int64_t before = margins.at(2U * i);
        const std::int64_t after = margins.at((2U * i) + 1U);
        if ((before < 0) || (after < 0)) {
            Operation::not_understood("negative margins");
        }
        sizes.at(i + 1U) = divided(sizes.at(i + 1U) + before + after, blocks[i]);
        if (sizes[0] > (std::int64_t{tflite::kMaxTensorBytes} / blocks[i])) {
            Operation::not_understood("more batches than a tensor has bytes");
        }
        sizes[0] *= blocks[i];
    }
    return sizes;
}

Sizes out_of_batches(const Operation& op) {
    Sizes sizes = input_shape(op);
    const std::vector<std::int32_t> blocks = op.integers(1U);
    const std::vector<std::int32_t> margins = op.integers(2U);
    for (std::size_t i = 0U; i < blocks.size(); ++i) {
        const std::int64_t before = margins.at(2U * i);
        const std::int64_t after = margins.at((2U * i) + 1U);
        if ((before < 0) || (after < 0)) {
            Operation::not_understood("negative margins");
        }
        sizes.at(i + 1U) = (sizes.at(i + 1U) * blocks[i]) - before - after;
        sizes[0] = divided(sizes[0], blocks[i]);
    }
    return sizes;
}

Sizes in_depth(const Operation& op) {
    Sizes sizes = input_shape(op);
    const std::int64_t block = op.options<format::SpaceToDepthOptions>().block_size();
    sizes.at(1U) = divided(sizes.at(1U), block);
    sizes.at(2U) = divided(sizes.at(2U), block);
    sizes.at(3U) *= block * block;
    return sizes;
}

Sizes out_of_depth(const Operation& op) {
    Sizes sizes = input_shape(op);
    const std::int64_t block = op.options<format::DepthToSpaceOptions>().block_size();
    sizes.at(1U) *= block;
    sizes.at(2U) *= block;
    sizes.at(3U) = divided(divided(sizes.at(3U), block), block);
    return sizes;
}

struct Rule {
    format::BuiltinOperator code;
    Sizes (*shape)(const Operation& op);
};
constexpr std::array<Rule, 28> kRules{{{format::BuiltinOperator_PAD, padded},
                                       {format::BuiltinOperator_PADV2, padded},
                                       {format::BuiltinOperator_MIRROR_PAD, padded},
                                       {format::BuiltinOperator_TILE, tiled},
                                       {format::BuiltinOperator_BROADCAST_TO, broadcast},
                                       {format::BuiltinOperator_EXPAND_DIMS, expanded},
                                       {format::BuiltinOperator_SQUEEZE, squeezed},
                                       {format::BuiltinOperator_SLICE, sliced},
                                       {format::BuiltinOperator_RESIZE_NEAREST_NEIGHBOR, resized},
                                       {format::BuiltinOperator_RESIZE_BILINEAR, resized},
                                       {format::BuiltinOperator_CONCATENATION, joined},
                                       {format::BuiltinOperator_PACK, packed},
                                       {format::BuiltinOperator_TRANSPOSE, turned},
                                       {format::BuiltinOperator_GATHER, gathered},
                                       {format::BuiltinOperator_GATHER_ND, gathered_by_places},
                                       {format::BuiltinOperator_EMBEDDING_LOOKUP, looked_up},
                                       {format::BuiltinOperator_REVERSE_V2, kept},
                                       {format::BuiltinOperator_ZEROS_LIKE, kept},
                                       {format::BuiltinOperator_SOFTMAX, kept},
                                       {format::BuiltinOperator_LOG_SOFTMAX, kept},
                                       {format::BuiltinOperator_L2_NORMALIZATION, kept},
                                       {format::BuiltinOperator_CUMSUM, kept},
                                       {format::BuiltinOperator_FILL, filled},
                                       {format::BuiltinOperator_BATCH_MATMUL, multiplied},
                                       {format::BuiltinOperator_SPACE_TO_BATCH_ND, in_batches},
                                       {format::BuiltinOperator_BATCH_TO_SPACE_ND, out_of_batches},
                                       {format::BuiltinOperator_SPACE_TO_DEPTH, in_depth},
                                       {format::BuiltinOperator_DEPTH_TO_SPACE, out_of_depth}}};

}  // namespace

Sizes input_shape(const Operation& op, std::size_t input) {
    const Shape& shape = op.in(input).shape;
    return {shape.begin(), shape.end()};
}

std::optional<Sizes> shape_of(const Operation& op) {
    const auto* const rule =
        std::find_if(kRules.begin(), kRules.end(), [&op](const Rule& each) { return each.code == op.code(); });
    return (rule == kRules.end()) ? std::nullopt : std::optional<Sizes>{rule->shape(op)};
}

}  // namespace pianola::decompile
