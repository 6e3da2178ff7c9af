// Row work: operations whose operands and results are taken by whole rows, or in one run of memory.
//
// Between operations and launches. An operand that is not laid out as the work needs it goes through DRAM first, a
// result that is not comes from there.
#pragma once

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <utility>
#include <vector>

#include "capture_host/host/tensor/work.h"
#include "hal/devices/refdev/kernels/arguments.h"

namespace pianola::tensor {

// Memory for a result whose rows are those of an operand and whose columns are others.
[[nodiscard]] MemoryConfig memory_for_columns(const Tensor& operand, std::uint32_t columns);
// Memory for a result of another shape: that of the operand where it is interleaved.
[[nodiscard]] inline MemoryConfig memory_for_shape(const MemoryConfig& operand) {
    return MemoryConfig{host::Layout::kInterleaved, operand.memory, std::nullopt};
}
// A result like the operand, except for its shape or its type.
[[nodiscard]] inline TensorSpec spec_of_shape(const Tensor& operand, const Shape& shape, ElementType type) {
    return TensorSpec{shape, type, memory_for_shape(operand.memory_config()), operand.layout()};
}
[[nodiscard]] inline TensorSpec spec_of_type(const Tensor& operand, ElementType type) {
    return TensorSpec{operand.shape(), type, operand.memory_config(), operand.layout()};
}

// What kernels take: rows, not tiles, of which each lies in one piece of memory, or all in one.
[[nodiscard]] bool has_whole_rows(const Tensor& tensor);
[[nodiscard]] inline bool is_one_run(const Tensor& tensor) {
    return (tensor.layout() == ElementLayout::kRowMajor) && (tensor.buffer()->pieces().size() == 1U);
}
// Operands in tiles, or whose rows or columns are cut, go to one run of DRAM first.
[[nodiscard]] Tensor in_whole_rows(const Tensor& tensor, std::uint32_t queue);
[[nodiscard]] Tensor in_one_run(const Tensor& tensor, std::uint32_t queue);
// First byte of a tensor that lies in one run.
[[nodiscard]] inline std::uint32_t run_address(const Tensor& tensor) {
    return tensor.buffer()->pieces().front().device_address;
}
// The cores that compute a result: those of its L1 shards, or all.
[[nodiscard]] std::vector<host::CoreCoord> cores_for(const Tensor& result);

// Throw TENSOR-OVERLAP, TENSOR-TYPE, TENSOR-SHAPE.
void require_apart(const char* operation, const Tensor& result, const Tensor& operand);
void require_int8(const char* operation, const char* argument, const Tensor& tensor);
// int8 or int16.
[[nodiscard]] constexpr bool is_activation(ElementType type) noexcept {
    return (type == ElementType::kInt8) || (type == ElementType::kInt16);
}
void require_activations(const char* operation, const char* argument, const Tensor& tensor);
void require_rank(const char* operation, const char* argument, const Tensor& tensor, std::size_t most);

// A kernel's argument words, the first of which are the addresses of its operands.
template <typename Arguments>
[[nodiscard]] host::Arguments words_of(const Arguments& arguments,
                                       std::initializer_list<host::Argument> addresses = {}) {
    std::vector<std::uint32_t> numbers(refdev::kArgumentWords<Arguments>);
    std::memcpy(numbers.data(), &arguments, sizeof(Arguments));
    host::Arguments words(numbers.begin(), numbers.end());
    std::copy(addresses.begin(), addresses.end(), words.begin());
    return words;
}
// The same for a layer with a filter: with int16 activations it has one word more.
template <typename Arguments>
[[nodiscard]] host::Arguments layer_words(const Arguments& arguments, ElementType type, std::uint32_t sum_bytes,
                                          std::initializer_list<host::Argument> addresses) {
    host::Arguments words = words_of(arguments, addresses);
    if (type == ElementType::kInt16) {
        words.emplace_back(sum_bytes);
    }
    return words;
}
// A byte of a tensor that lies in one run, as an argument.
[[nodiscard]] inline host::Argument run_argument(const Tensor& tensor, std::uint32_t offset_bytes = 0U) {
    return address_in(tensor.buffer(), run_address(tensor) + offset_bytes);
}

// Calls visit(core, address in the operand, address in the result, rows) for each range of rows that lies dense in
// both, which have whole rows.
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

// An operation that makes rows of the result from the same rows of an operand, both whole. `describe(from, to, rows)`
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

// An operation that makes each element from the element at the same place, of the same size. Tiles are computed with in
// their own order: places in their storages are the same. `describe(from, to, elements)` gives the arguments of one
// launch.
template <typename Describe>
void element_by_element(const Tensor& operand, const Tensor& target, const char* name, std::uint32_t queue,
                        refdev::KernelId kernel, const Describe& describe) {
    const Tensor source = beside(operand, target, queue).storage();
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

// The same of two operands, each of the result's shape and element size: `describe(left, right, to, elements)`.
template <typename Describe>
void pair_by_pair(const Tensor& left, const Tensor& right, const Tensor& target, const char* name, std::uint32_t queue,
                  refdev::KernelId kernel, const Describe& describe) {
    const Tensor first = beside(left, target, queue).storage();
    const Tensor second = beside(right, target, queue).storage();
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

// `body` computes into a tensor that `fits`; where the result does not, through one that lies in DRAM.
template <typename Fits, typename Body>
[[nodiscard]] Tensor through(const Fits& fits, const Tensor& result, std::uint32_t queue, const Body& body) {
    if (fits(result)) {
        body(result);
        return result;
    }
    const Tensor run =
        Tensor::on_device(TensorSpec{result.shape(), result.type(), kDramInterleaved}, result.device(), {queue, true});
    body(run);
    copy(run, result, queue);
    return result;
}
template <typename Body>
[[nodiscard]] Tensor through_whole_rows(const Tensor& result, std::uint32_t queue, const Body& body) {
    return through(has_whole_rows, result, queue, body);
}
template <typename Body>
[[nodiscard]] Tensor through_one_run(const Tensor& result, std::uint32_t queue, const Body& body) {
    return through(is_one_run, result, queue, body);
}

// Rows in no more pieces than cores. A page of interleaved L1 may be a single row, and a launch for each is many.
[[nodiscard]] bool is_in_few_pieces(const Tensor& tensor);

// An operation that makes each element from the element at the same place, of another size: whole rows at a time.
template <typename Describe>
[[nodiscard]] Tensor convert_rows(const Tensor& operand, const Tensor& result, const char* name, std::uint32_t queue,
                                  refdev::KernelId kernel, const Describe& describe) {
    return through(is_in_few_pieces, result, queue, [&](const Tensor& whole) {
        const Tensor source = is_in_few_pieces(operand) ? operand : temporary_copy(operand, kDramInterleaved, queue);
        row_by_row(source, whole, name, queue, kernel, describe);
    });
}

}  // namespace pianola::tensor
