#include "capture_host/decompile/shapes.h"

#include <algorithm>
#include <numeric>

namespace pianola::decompile {

Sizes input_shape(const Operation& op, std::size_t input) {
    const Shape& shape = op.in(input).shape;
    return {shape.begin(), shape.end()};
}

void require_shape(const Operation& op, const Sizes& wanted, std::size_t output) {
    const Shape& have = op.out(output).shape;
    if (!std::equal(wanted.begin(), wanted.end(), have.begin(), have.end())) {
        throw Mismatch{"its output has another shape than follows from its operands"};
    }
}

namespace shapes {
namespace {

namespace format = tflite::format;

std::int64_t divided(std::int64_t size, std::int64_t by) {
    if (by < 1) {
        Operation::not_understood("a block without elements");
    }
    if ((size % by) != 0) {
        Operation::not_understood("blocks that do not divide its input");
    }
    return size / by;
}

// Outputs are parts along an axis.
void check_parts(const Operation& op, std::size_t input, std::size_t axis, const Sizes& lengths) {
    if (lengths.size() != op.outputs()) {
        Operation::not_understood("another number of parts than it has outputs");
    }
    for (std::size_t i = 0U; i < lengths.size(); ++i) {
        Sizes part = input_shape(op, input);
        part.at(axis) = lengths[i];
        require_shape(op, part, i);
    }
}

// The dimension of that number, counted from the last.
std::int64_t size_at(const Shape& shape, std::size_t from_last) {
    return (from_last < shape.size()) ? std::int64_t{shape[shape.size() - 1U - from_last]} : 1;
}

}  // namespace

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

// A size of -1 stands for all elements after the beginning.
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

// An index replaces as many dimensions as it has parts.
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

void check_split(const Operation& op) {
    const Sizes whole = input_shape(op, 1U);
    const std::size_t axis = axis_of(op.integer(0U), whole.size());
    const auto parts = static_cast<std::int64_t>(op.outputs());
    if ((parts == 0) || ((whole.at(axis) % parts) != 0)) {
        Operation::not_understood("parts that do not divide its input");
    }
    check_parts(op, 1U, axis, Sizes(op.outputs(), whole[axis] / parts));
}

// One of the sizes may be -1: the rest.
void check_split_v(const Operation& op) {
    const std::vector<std::int32_t> said = op.integers(1U);
    const Sizes whole = input_shape(op);
    const std::size_t axis = axis_of(op.integer(2U), whole.size());
    Sizes lengths(said.begin(), said.end());
    const auto open = std::find(lengths.begin(), lengths.end(), -1);
    if (open != lengths.end()) {
        *open = 0;
        *open = whole.at(axis) - std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
    }
    if (std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}) != whole.at(axis)) {
        Operation::not_understood("sizes that do not add up to its input");
    }
    check_parts(op, 0U, axis, lengths);
}

void check_unpacked(const Operation& op) {
    Sizes part = input_shape(op);
    const std::size_t axis = axis_of(op.options<format::UnpackOptions>().axis(), part.size());
    if (part.at(axis) != static_cast<std::int64_t>(op.outputs())) {
        Operation::not_understood("another number of parts than it has outputs");
    }
    part.erase(part.begin() + static_cast<std::ptrdiff_t>(axis));
    for (std::size_t i = 0U; i < op.outputs(); ++i) {
        require_shape(op, part, i);
    }
}

// Dimensions of 1 are repeated to the size of another operand's; leading ones may be left out.
void check_broadcast(const Operation& op) {
    const Shape& have = op.out().shape;
    std::size_t rank = have.size();
    for (std::size_t i = 0U; i < op.inputs(); ++i) {
        rank = std::max(rank, op.in(i).shape.size());
    }
    for (std::size_t axis = 0U; axis < rank; ++axis) {
        std::int64_t size = 1;
        for (std::size_t i = 0U; i < op.inputs(); ++i) {
            size = std::max(size, size_at(op.in(i).shape, axis));
        }
        for (std::size_t i = 0U; i < op.inputs(); ++i) {
            const std::int64_t own = size_at(op.in(i).shape, axis);
            if ((own != 1) && (own != size)) {
                Operation::not_understood("operands that do not fit each other");
            }
        }
        if (size_at(have, axis) != size) {
            throw Mismatch{"its output has another shape than follows from its operands"};
        }
    }
}

}  // namespace shapes
}  // namespace pianola::decompile
