// Rows that are assembled from parts of other rows, for slices, concatenations, tiles and casts.
//
// The gather kernel assembles a row from up to four parts. Rows of more parts are assembled in several steps, with
// temporaries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "capture_host/host/tensor/operands.h"

namespace pianola::tensor {

// A part of each row: the address of the first row's part inside `source`, and the distance of rows (0: all rows have
// the same part).
struct RowPart {
    Tensor source;
    std::uint32_t address{0U};
    std::uint32_t stride_bytes{0U};
    std::uint32_t bytes{0U};
};
struct RowBand {
    std::uint32_t rows{0U};
    std::vector<RowPart> parts;  // from left to right
};

// Adds one launch that writes the rows of a band of at most four parts to consecutive bytes from `to` on. Without a
// core, the next one in turn is used.
void add_gather(Launches& launches, const std::optional<host::CoreCoord>& core, host::Argument to, const RowBand& band);

// Fills `destination`, which is contiguous, with the rows of all bands, in order. Their sizes are equal.
void gather_rows(const Tensor& destination, std::vector<RowBand> bands, const std::string& name, std::uint32_t queue);

// `bytes` zeros on the operand's device, for parts without data.
[[nodiscard]] Tensor zeros_for_parts(const Tensor& operand, std::uint32_t bytes, std::uint32_t queue);

}  // namespace pianola::tensor
