#include <algorithm>
#include <cmath>

#include "capture_host/decompile/operation.h"
#include "capture_host/decompile/shapes.h"
#include "pianola/bytes.h"

namespace pianola::decompile {
namespace {

namespace format = tflite::format;

// output[row][i] is entry indices[row / outer][i] of the row; by constant indices it is a movement.
void take(Operation& op, std::size_t table, std::size_t places, const refdev::TakeArguments& a) {
    if (!op.in(places).is_constant) {
        op.compute(refdev::KernelId::kTake, a, {op.bytes(table), op.bytes(places)});
        return;
    }
    const std::vector<std::int32_t> indices = op.integers(places);
    Tokens tokens;
    for (std::size_t row = 0U; row < (std::size_t{a.batches} * a.outer); ++row) {
        for (std::size_t i = 0U; i < a.count; ++i) {
            const std::int32_t entry = indices.at((row / a.outer * a.count) + i);
            if ((entry < 0) || (static_cast<std::uint32_t>(entry) >= a.entries)) {
                throw Mismatch{"an index is outside its input"};
            }
            append_element(tokens, op.bytes(table), (row * a.entries) + static_cast<std::uint32_t>(entry),
                           a.entry_bytes);
        }
    }
    op.set(tokens);
}

std::uint32_t count_of(const Shape& shape, std::size_t first, std::size_t end) {
    return static_cast<std::uint32_t>(product_of(shape, first, end));
}

void gather(Operation& op) {
    const auto& options = op.options<format::GatherOptions>();
    const Tensor& input = op.in(0U);
    const Shape& places = op.in(1U).shape;
    const std::size_t axis = axis_of(options.axis(), input.shape.size());
    const std::size_t batch_dims = axis_of(options.batch_dims(), places.size());
    refdev::TakeArguments a{};
    a.batches = count_of(places, 0U, batch_dims);
    a.outer = count_of(input.shape, batch_dims, axis);
    a.entries = input.shape.at(axis);
    a.count = count_of(places, batch_dims, places.size());
    a.entry_bytes =
        static_cast<std::uint32_t>(product_of(input.shape, axis + 1U, input.shape.size()) * element_bytes_of(input));
    take(op, 0U, 1U, a);
}

void embedding_lookup(Operation& op) {
    const Tensor& table = op.in(1U);
    refdev::TakeArguments a{};
    a.batches = 1U;
    a.outer = 1U;
    a.entries = table.shape.at(0U);
    a.count = op.in(0U).elements;
    a.entry_bytes =
        static_cast<std::uint32_t>(product_of(table.shape, 1U, table.shape.size()) * element_bytes_of(table));
    take(op, 1U, 0U, a);
}

void gather_nd(Operation& op) {
    const Tensor& input = op.in(0U);
    const Shape& places = op.in(1U).shape;
    const std::size_t depth = places.back();
    if (depth == 1U) {
        refdev::TakeArguments a{};
        a.batches = 1U;
        a.outer = 1U;
        a.entries = input.shape.at(0U);
        a.count = op.in(1U).elements;
        a.entry_bytes =
            static_cast<std::uint32_t>(product_of(input.shape, 1U, input.shape.size()) * element_bytes_of(input));
        take(op, 0U, 1U, a);
        return;
    }
    const std::vector<std::int32_t> indices = op.integers(1U);
    const Shape front(input.shape.begin(), input.shape.begin() + static_cast<std::ptrdiff_t>(depth));
    const std::size_t bytes = product_of(input.shape, depth, input.shape.size()) * element_bytes_of(input);
    Tokens tokens;
    for (std::size_t at = 0U; at < indices.size(); at += depth) {
        Shape index;
        for (std::size_t axis = 0U; axis < depth; ++axis) {
            index.push_back(static_cast<std::uint32_t>(indices[at + axis]));
        }
        append_element(tokens, op.bytes(0U), offset_of(front, index), bytes);
    }
    op.set(tokens);
}

// Sets an output that is made of elements of the input: `from` maps an index of the output to one of the input.
// Elements from outside the input are the zero point.
void choose_elements(Operation& op, const std::function<std::vector<std::int64_t>(const Shape& index)>& from) {
    const Shape& shape = op.in(0U).shape;
    Tokens zero = tokens_of(zero_point_of(op.out()));
    zero.resize(element_bytes_of(op.out()), 0U);
    Tokens tokens;
    for_each_index(op.out().shape, [&](const Shape& index) {
        const std::vector<std::int64_t> place = from(index);
        std::size_t offset = 0U;
        bool is_inside = true;
        for (std::size_t axis = 0U; axis < shape.size(); ++axis) {
            is_inside = is_inside && (place.at(axis) >= 0) && (place.at(axis) < std::int64_t{shape[axis]});
            offset = (offset * shape[axis]) + static_cast<std::size_t>(place.at(axis));
        }
        if (is_inside) {
            append_element(tokens, op.bytes(0U), offset, element_bytes_of(op.out()));
        } else {
            tokens.insert(tokens.end(), zero.begin(), zero.end());
        }
    });
    op.set(tokens);
}

void space_to_depth(Operation& op) {
    const std::int64_t block = op.options<format::SpaceToDepthOptions>().block_size();
    const std::int64_t depth = op.in(0U).shape.at(3U);
    choose_elements(op, [=](const Shape& index) {
        const std::int64_t cell = index[3] / depth;
        return std::vector<std::int64_t>{index[0], (index[1] * block) + (cell / block),
                                         (index[2] * block) + (cell % block), index[3] % depth};
    });
}

void depth_to_space(Operation& op) {
    const std::int64_t block = op.options<format::DepthToSpaceOptions>().block_size();
    const std::int64_t depth = op.out().shape.at(3U);
    choose_elements(op, [=](const Shape& index) {
        const std::int64_t cell = ((index[1] % block) * block) + (index[2] % block);
        return std::vector<std::int64_t>{index[0], index[1] / block, index[2] / block, (cell * depth) + index[3]};
    });
}

// The output has the batches of the input for each cell of a block, cell after cell.
void space_to_batch(Operation& op) {
    const std::vector<std::int32_t> blocks = op.integers(1U);
    const std::vector<std::int32_t> margins = op.integers(2U);
    const std::int64_t batches = op.in(0U).shape.at(0U);
    choose_elements(op, [&](const Shape& index) {
        std::vector<std::int64_t> place(index.begin(), index.end());
        place[0] = index[0] % batches;
        std::int64_t cell = index[0] / batches;
        for (std::size_t i = blocks.size(); i > 0U; --i) {
            place.at(i) =
                (index.at(i) * std::int64_t{blocks[i - 1U]}) + (cell % blocks[i - 1U]) - margins.at(2U * (i - 1U));
            cell /= blocks[i - 1U];
        }
        return place;
    });
}

void batch_to_space(Operation& op) {
    const std::vector<std::int32_t> blocks = op.integers(1U);
    const std::vector<std::int32_t> crops = op.integers(2U);
    const std::int64_t batches = op.out().shape.at(0U);
    choose_elements(op, [&](const Shape& index) {
        std::vector<std::int64_t> place(index.begin(), index.end());
        std::int64_t cell = 0;
        for (std::size_t i = 1U; i <= blocks.size(); ++i) {
            const std::int64_t at = std::int64_t{index.at(i)} + crops.at(2U * (i - 1U));
            place.at(i) = at / blocks[i - 1U];
            cell = (cell * blocks[i - 1U]) + (at % blocks[i - 1U]);
        }
        place[0] = (cell * batches) + index[0];
        return place;
    });
}

// The nearest pixel, in single precision as the reference has it.
void resize_nearest_neighbor(Operation& op) {
    const auto& options = op.options<format::ResizeNearestNeighborOptions>();
    const auto nearest = [&](std::uint32_t at, std::size_t axis) {
        const std::uint32_t in = op.in(0U).shape.at(axis);
        const std::uint32_t out = op.out().shape.at(axis);
        const bool aligns = options.align_corners() && (out > 1U);
        const float scale = aligns ? (static_cast<float>(in - 1U) / static_cast<float>(out - 1U))
                                   : (static_cast<float>(in) / static_cast<float>(out));
        const float place = (static_cast<float>(at) + (options.half_pixel_centers() ? 0.5F : 0.0F)) * scale;
        const float rounded = options.align_corners() ? std::round(place) : std::floor(place);
        return std::clamp<std::int64_t>(static_cast<std::int64_t>(rounded), 0, std::int64_t{in} - 1);
    };
    choose_elements(op, [&](const Shape& index) {
        return std::vector<std::int64_t>{index[0], nearest(index[1], 1U), nearest(index[2], 2U), index[3]};
    });
}

constexpr std::array<Entry, 8> kChoices{
    {{format::BuiltinOperator_GATHER, gather, kMoved, shaped<shapes::gathered>},
     {format::BuiltinOperator_GATHER_ND, gather_nd, kMoved, shaped<shapes::gathered_by_places>},
     {format::BuiltinOperator_EMBEDDING_LOOKUP, embedding_lookup, kSecondMoved, shaped<shapes::looked_up>},
     {format::BuiltinOperator_SPACE_TO_DEPTH, space_to_depth, kMoved, shaped<shapes::in_depth>},
     {format::BuiltinOperator_DEPTH_TO_SPACE, depth_to_space, kMoved, shaped<shapes::out_of_depth>},
     {format::BuiltinOperator_SPACE_TO_BATCH_ND, space_to_batch, kMoved, shaped<shapes::in_batches>},
     {format::BuiltinOperator_BATCH_TO_SPACE_ND, batch_to_space, kMoved, shaped<shapes::out_of_batches>},
     {format::BuiltinOperator_RESIZE_NEAREST_NEIGHBOR, resize_nearest_neighbor, kMoved, shaped<shapes::resized>}}};

}  // namespace

Entries choice_operators() {
    return kChoices;
}

}  // namespace pianola::decompile
