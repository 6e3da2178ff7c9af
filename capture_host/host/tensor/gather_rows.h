// Rows put together from parts of other rows: what slices, concatenations, tiles and casts are made of.
//
// Between operations that move bytes and launches of the gather kernel, which takes four parts. More of them are put
// together in steps, through temporaries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "capture_host/host/tensor/operands.h"

namespace pianola::tensor {

// A part of each row: its first row's address inside `source`, and how far its rows are apart (0: always the same).
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

// One launch: the rows of a band of at most four parts, in one run from `to` on. Without a core: on the next in turn.
void add_gather(Launches& launches, const std::optional<host::CoreCoord>& core, host::Argument to, const RowBand& band);

// Fills `destination`, which lies in one run of memory, with the rows of all bands, in order. They are as many bytes.
void gather_rows(const Tensor& destination, std::vector<RowBand> bands, const std::string& name, std::uint32_t queue);

// `bytes` zeros for a part without data, on the operand's device.
[[nodiscard]] Tensor zeros_for_parts(const Tensor& operand, std::uint32_t bytes, std::uint32_t queue);

}  // namespace pianola::tensor
