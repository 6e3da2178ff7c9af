// The work of an operation divided among the cores: by rows, elements, or pairs of elements.
#pragma once

#include <cstdint>

#include "capture_host/host/tensor/operands.h"

namespace pianola::tensor {

// Calls visit(core, address in the operand, address in the result, rows) for each range of rows that lies dense in
// both. Rows of both are contiguous.
template <typename Visit>
void for_rows_of_both(Launches& launches, const Tensor& operand, const Tensor& result, const Visit& visit) {
    const std::uint64_t operand_row_bytes = operand.buffer()->config().row_bytes;
    for_dense_rows(launches, result, [&](std::uint32_t to, host::CoreCoord core, const Block& block) {
        for (const Band& band :
             bands_of(*operand.buffer(), Block{block.row_begin, block.rows, 0U, operand_row_bytes})) {
            const auto begin = word(to + ((band.row_begin - block.row_begin) * block.column_bytes));
            visit(core, band.strips.front().address, begin, word(band.rows));
        }
    });
}

// Computes each row of the result from the same row of an operand; rows are contiguous. `describe(from, to, rows)`
// gives the arguments of one launch.
template <typename Describe>
void row_by_row(const Tensor& operand, const Tensor& result, const char* name, std::uint32_t queue,
                refdev::KernelId kernel, const Describe& describe) {
    Launches launches{*result.device()};
    for_rows_of_both(
        launches, operand, result, [&](host::CoreCoord core, std::uint32_t from, std::uint32_t to, std::uint32_t rows) {
            launches.add(kernel, core,
                         describe(address_in(operand.buffer(), from), address_in(result.buffer(), to), rows));
        });
    enqueue(result, launches, name, queue);
}

// Computes each element from the element at the same index, of the same size. Tiles are not converted: their storages
// have the same order. `describe(from, to, elements)` gives the arguments of one launch.
template <typename Describe>
void element_by_element(const Tensor& operand, const Tensor& target, const char* name, std::uint32_t queue,
                        refdev::KernelId kernel, const Describe& describe) {
    const Tensor source = placed_like(operand, target, queue).storage();
    const Tensor result = target.storage();
    Launches launches{*result.device()};
    const std::uint32_t element = bytes_per_element(result.type());
    for_dense_rows(launches, result, [&](std::uint32_t to, host::CoreCoord core, const Block& block) {
        for (const Band& band : bands_of(*source.buffer(), block)) {
            const std::uint64_t begin = to + ((band.row_begin - block.row_begin) * block.column_bytes);
            launches.add(
                kernel, core,
                describe(address_in(source.buffer(), band.strips.front().address),
                         address_in(result.buffer(), word(begin)), word((band.rows * block.column_bytes) / element)));
        }
    });
    enqueue(result, launches, name, queue);
}

// The same for two operands, each of the result's shape and element size: `describe(left, right, to, elements)`.
template <typename Describe>
void pair_by_pair(const Tensor& left, const Tensor& right, const Tensor& target, const char* name, std::uint32_t queue,
                  refdev::KernelId kernel, const Describe& describe) {
    const Tensor first = placed_like(left, target, queue).storage();
    const Tensor second = placed_like(right, target, queue).storage();
    const Tensor result = target.storage();
    Launches launches{*result.device()};
    const std::uint32_t element = bytes_per_element(result.type());
    for_dense_rows(launches, result, [&](std::uint32_t to, host::CoreCoord core, const Block& block) {
        for (const Band& outer : bands_of(*first.buffer(), block)) {
            const Block part{outer.row_begin, outer.rows, block.column_begin, block.column_bytes};
            for (const Band& band : bands_of(*second.buffer(), part)) {
                const std::uint64_t skipped = (band.row_begin - outer.row_begin) * block.column_bytes;
                const std::uint64_t begin = (band.row_begin - block.row_begin) * block.column_bytes;
                launches.add(kernel, core,
                             describe(address_in(first.buffer(), word(outer.strips.front().address + skipped)),
                                      address_in(second.buffer(), band.strips.front().address),
                                      address_in(result.buffer(), word(to + begin)),
                                      word((band.rows * block.column_bytes) / element)));
            }
        }
    });
    enqueue(result, launches, name, queue);
}

// Computes each element from the element at the same index, of another size, by whole rows.
template <typename Describe>
[[nodiscard]] Tensor convert_rows(const Tensor& operand, const Tensor& result, const char* name, std::uint32_t queue,
                                  refdev::KernelId kernel, const Describe& describe) {
    return through(is_in_few_pieces, result, queue, [&](const Tensor& whole) {
        const Tensor source = is_in_few_pieces(operand) ? operand : temporary_copy(operand, kDramInterleaved, queue);
        row_by_row(source, whole, name, queue, kernel, describe);
    });
}

}  // namespace pianola::tensor
