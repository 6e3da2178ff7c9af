// Mode: one cell of the matrix of ways in which a session is used.
//
// Every campaign runs its scenario in every mode that exists; those that cannot exist are refused by name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pianola::campaign {

struct Mode {
    bool views{false};  // else transfers
    std::uint32_t in_flight{1U};
    bool parameters{false};  // one, which changes between two steps
    std::uint32_t queues{1U};
    bool pipelined{false};
    bool verified{true};        // release; else at completion
    std::uint32_t devices{1U};  // one, or a mesh of one row
};

// "views-1-parameters-2q-plain-verified"; of a mesh with its shape: "transfers-1-parameters-2q-plain-verified-1x2"
[[nodiscard]] std::string name_of(const Mode& mode);
// Why there is no such mode; empty where there is one.
[[nodiscard]] std::string why_not(const Mode& mode);
// All 192 cells, or those that exist: those of one device first.
[[nodiscard]] std::vector<Mode> all_cells();
[[nodiscard]] std::vector<Mode> all_modes();

}  // namespace pianola::campaign
