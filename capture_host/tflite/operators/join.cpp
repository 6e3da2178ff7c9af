#include <algorithm>
#include <cstddef>

#include "capture_host/tflite/operators/movement.h"
#include "capture_host/tflite/operators/operator_context.h"

namespace pianola::tflite {
namespace {

// The part of every output row that one input gives.
struct Piece {
    capture::BufferId buffer{};
    std::uint32_t bytes{0U};
};

using Pieces = std::vector<Piece>;

std::uint32_t bytes_of_pieces(const Pieces& pieces) {
    std::uint32_t bytes = 0U;  // of the output at most: no overflow
    for (const Piece& piece : pieces) {
        bytes += piece.bytes;
    }
    return bytes;
}

// At most as many pieces as the kernel has segments.
void record_gather(OperatorContext& context, std::uint32_t rows, const Pieces& pieces, capture::BufferId output,
                   std::uint32_t output_offset) {
    using Arguments = refdev::GatherArguments;
    Arguments arguments{};
    arguments.rows = rows;
    arguments.segment_count = static_cast<std::uint32_t>(pieces.size());
    std::vector<AddressWord> addresses;
    for (std::size_t i = 0U; i < pieces.size(); ++i) {
        arguments.segments.at(i) = refdev::GatherSegment{0U, pieces[i].bytes, pieces[i].bytes};
        addresses.push_back(
            {offsetof(Arguments, segments) + (i * sizeof(refdev::GatherSegment)), pieces[i].buffer, Access::kRead});
    }
    addresses.push_back({offsetof(Arguments, destination), output, Access::kWrite, output_offset});
    context.launch(refdev::KernelId::kGather, arguments, addresses);
}

std::vector<Pieces> grouped(const Pieces& pieces) {
    std::vector<Pieces> groups;
    for (const Piece& piece : pieces) {
        if (groups.empty() || (groups.back().size() == refdev::kMaxGatherSegments)) {
            groups.emplace_back();
        }
        groups.back().push_back(piece);
    }
    return groups;
}

void record_join(OperatorContext& context, std::uint32_t rows, Pieces pieces, capture::BufferId output) {
    if (rows == 1U) {
        std::uint32_t offset = 0U;
        for (const Pieces& group : grouped(pieces)) {
            record_gather(context, rows, group, output, offset);
            offset += bytes_of_pieces(group);
        }
        return;
    }
    while (pieces.size() > refdev::kMaxGatherSegments) {
        Pieces joined;
        for (const Pieces& group : grouped(pieces)) {
            if (group.size() == 1U) {
                joined.push_back(group.front());
                continue;
            }
            const std::uint32_t bytes = bytes_of_pieces(group);
            joined.push_back({context.add_temporary(rows * bytes), bytes});
            record_gather(context, rows, group, joined.back().buffer, 0U);
        }
        pieces = std::move(joined);
    }
    record_gather(context, rows, pieces, output, 0U);
}

}  // namespace

void lower_concatenation(OperatorContext& context) {
    context.require_operands(1U, kMaxOperands);
    const auto& options = context.options_or_defaults<format::ConcatenationOptions>();
    context.require(options.fused_activation_function() == 0, "a fused activation is not supported");
    const AnyTensor output = context.any_output(0U);
    const Shape& result = output.tensor->shape;
    const std::size_t axis = axis_of(context, options.axis(), result.size());
    const std::uint32_t rows = product(result, 0U, axis);
    Pieces pieces;
    std::uint64_t size = 0U;
    for (std::size_t i = 0U; i < context.input_count(); ++i) {
        const AnyTensor input = context.any_input(i, "input");
        context.require_same_elements(input, output);
        Shape expected = input.tensor->shape;
        context.require(expected.size() == result.size(), "its inputs differ in rank from its output");
        size += expected[axis];
        expected[axis] = result[axis];
        require_shape(context, output, expected);
        pieces.push_back({context.buffer(input), input.tensor->size_bytes / rows});
    }
    context.require(size == result[axis], "its output shape does not follow from its input");
    record_join(context, rows, std::move(pieces), context.buffer(output));
}

void lower_pack(OperatorContext& context) {
    context.require_operands(1U, kMaxOperands);
    const auto& options = context.options_or_defaults<format::PackOptions>();
    if (context.options_if_any<format::PackOptions>() != nullptr) {
        context.require_count("values_count", options.values_count(), context.input_count(), "inputs");
    }
    const AnyTensor output = context.any_output(0U);
    const std::size_t axis = axis_of(context, options.axis(), output.tensor->shape.size());
    const std::uint32_t rows = product(output.tensor->shape, 0U, axis);
    Pieces pieces;
    for (std::size_t i = 0U; i < context.input_count(); ++i) {
        const AnyTensor input = context.any_input(i, "input");
        context.require_same_elements(input, output);
        Shape expected = input.tensor->shape;
        context.require(axis <= expected.size(), "its inputs differ in rank from its output");
        expected.insert(expected.begin() + static_cast<std::ptrdiff_t>(axis),
                        static_cast<std::uint32_t>(context.input_count()));
        require_shape(context, output, expected);
        pieces.push_back({context.buffer(input), input.tensor->size_bytes / rows});
    }
    record_join(context, rows, std::move(pieces), context.buffer(output));
}

}  // namespace pianola::tflite
