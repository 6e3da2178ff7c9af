// Constants that are stored in a file after its FlatBuffer, at the `offset` and `size` of their buffers.
//
// Used between the FlatBuffer's verifier and the reader. Converters write such files for models above 2 GB, and for
// others on request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pianola/span.h"

namespace pianola::tflite::format {
struct Buffer;
struct Model;
struct Operator;
struct Tensor;
}  // namespace pianola::tflite::format

namespace pianola::tflite {

// Whether an offset is set: TensorFlow Lite takes 0 and 1 for unset, and its converter leaves an offset and a size of 1
// if nothing is stored.
[[nodiscard]] constexpr bool is_offset_set(std::uint64_t offset) noexcept {
    return offset > 1U;
}

// Throws ImportError unless buffer 0 is empty, as the format requires, and every buffer with an offset is within `file`
// and after the FlatBuffer, has no data in the FlatBuffer as well, and overlaps no other buffer in part. The error
// names the buffer, and its offset, its size and the file's length if it has an offset. Any alignment is accepted.
// `model` is the FlatBuffer of `file`, verified.
void check_outside_buffers(Span<const std::uint8_t> file, const format::Model& model);

// The contents of a buffer, in `file`: its data or the bytes at its offset. Empty if it has neither. The buffer was
// checked.
[[nodiscard]] Span<const std::uint8_t> contents_of(Span<const std::uint8_t> file, const format::Buffer& buffer);

// "buffer 3 (offset 4096, size 1024, in a file of 5000 bytes)"; "buffer 3" without an offset.
[[nodiscard]] std::string buffer_name(Span<const std::uint8_t> file, std::uint32_t index, const format::Buffer& buffer);

// The name of a tensor in messages: its name in printable ASCII, or "tensor 3" if it has none.
[[nodiscard]] std::string name_of(const format::Tensor& tensor, std::size_t index);

// Why a tensor whose contents are in another file cannot be used; empty if they are not.
[[nodiscard]] std::string external_defect(const format::Model& model, const format::Tensor& tensor);

// Throws ImportError if contents are in other files, or the model lists such files, and no operator is to blame:
// `is_used` has an element for each tensor of the first graph, true if an operator refuses the tensor with
// external_defect().
void refuse_other_files(const format::Model& model, const std::vector<bool>& is_used);

// Why an operator's options in the file cannot be used; empty if there are none.
[[nodiscard]] std::string outside_options_defect(const format::Operator& op);

}  // namespace pianola::tflite
