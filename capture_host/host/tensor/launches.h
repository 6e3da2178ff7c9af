// Launches: the kernels of one operation, dealt out to cores.
//
// Operations describe their work as a list of launches; program() makes a host::Program of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hal/devices/refdev/kernels/kernel.h"
#include "pianola_host/program.h"
#include "pianola_host/tensor.h"

namespace pianola::tensor {

class Launches {
  public:
    explicit Launches(const host::Device& device);

    // On one core, launches run in the order in which they were added.
    void add(refdev::KernelId kernel, const std::optional<host::CoreCoord>& core, host::Arguments arguments);
    // A core for work that belongs to none: they take turns.
    [[nodiscard]] host::CoreCoord next_core();
    [[nodiscard]] std::size_t core_count() const noexcept { return cores_.size(); }
    [[nodiscard]] bool empty() const noexcept { return launches_.empty(); }
    [[nodiscard]] std::size_t size() const noexcept { return launches_.size(); }
    // The launches [first, first + count).
    [[nodiscard]] Launches part(std::size_t first, std::size_t count) const;

    [[nodiscard]] host::Program program(const std::string& name) const;

  private:
    struct Launch {
        refdev::KernelId kernel{refdev::KernelId::kUnspecified};
        std::size_t core{0U};  // index in cores_
        host::Arguments arguments;
    };

    std::vector<host::CoreCoord> cores_;
    std::size_t turn_{0U};
    std::vector<Launch> launches_;
};

// The byte at a device address inside a buffer, as an argument: shard and offset.
[[nodiscard]] host::Argument address_in(const host::BufferPtr& buffer, std::uint32_t address);

// A block of a tensor's matrix, in rows and bytes of a row.
struct Block {
    std::uint64_t row_begin{0U};
    std::uint64_t rows{0U};
    std::uint64_t column_begin{0U};
    std::uint64_t column_bytes{0U};
};

// A part of a block that lies in one piece of memory: its first byte, and how far its rows are apart.
struct Strip {
    std::uint32_t address{0U};
    std::uint32_t stride_bytes{0U};
    std::uint64_t column_begin{0U};
    std::uint64_t column_bytes{0U};
    std::optional<host::CoreCoord> core;

    [[nodiscard]] bool is_dense() const noexcept { return column_bytes == stride_bytes; }
};

// Rows of a block whose columns lie in the same pieces, from left to right.
struct Band {
    std::uint64_t row_begin{0U};
    std::uint64_t rows{0U};
    std::vector<Strip> strips;
};

// How a block of a buffer's matrix lies in memory.
[[nodiscard]] std::vector<Band> bands_of(const host::Buffer& buffer, const Block& block);

}  // namespace pianola::tensor
