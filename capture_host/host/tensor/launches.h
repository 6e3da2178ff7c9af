// Launches: the kernels of one operation, distributed over cores.
//
// Operations describe their work as a list of launches; program() makes a host::Program of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/kernel.h"
#include "pianola_host/program.h"
#include "pianola_host/tensor.h"

namespace pianola::tensor {

class Launches {
  public:
    explicit Launches(const host::Device& device);

    // On one core, launches run in the order in which they were added.
    void add(refdev::KernelId kernel, const std::optional<host::CoreCoord>& core, host::Arguments arguments);
    // The next core in turn, for work that any core can do.
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

// A part of a block inside one piece of memory: the address of its first byte, and the distance of its rows.
struct Strip {
    std::uint32_t address{0U};
    std::uint32_t stride_bytes{0U};
    std::uint64_t column_begin{0U};
    std::uint64_t column_bytes{0U};
    std::optional<host::CoreCoord> core;

    [[nodiscard]] bool is_dense() const noexcept { return column_bytes == stride_bytes; }
};

// Rows of a block whose columns are in the same pieces, from left to right.
struct Band {
    std::uint64_t row_begin{0U};
    std::uint64_t rows{0U};
    std::vector<Strip> strips;
};

// The memory of a block of a buffer's matrix.
[[nodiscard]] std::vector<Band> bands_of(const host::Buffer& buffer, const Block& block);

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

// The most launches in one program: their commands fit the usual dispatch area.
inline constexpr std::size_t kLaunchesOfAProgram = 256U;

// Calls visit(address in the result, core, block) for dense ranges of rows of the result; in DRAM, a range is at most a
// core's share.
template <typename Visit>
void for_dense_rows(Launches& launches, const Tensor& result, const Visit& visit) {
    for (const host::Piece& piece : result.buffer()->pieces()) {
        const std::uint64_t share =
            piece.core.has_value() ? piece.rows : ((piece.rows + launches.core_count()) - 1U) / launches.core_count();
        for (std::uint64_t row = 0U; row < piece.rows; row += share) {
            const std::uint64_t rows = std::min(share, piece.rows - row);
            const host::CoreCoord core = piece.core.has_value() ? *piece.core : launches.next_core();
            visit(static_cast<std::uint32_t>(piece.device_address + (row * piece.column_bytes)), core,
                  Block{piece.row_begin + row, rows, piece.column_begin_bytes, piece.column_bytes});
        }
    }
}

// Compiles the program if it is new to the device, and enqueues it. Returns false and enqueues nothing if the program
// is too large for the dispatch area or for the proof of a capture (Device::fits()). There is at least one launch.
[[nodiscard]] bool enqueue_as_one(const Tensor& result, const Launches& launches, const std::string& name,
                                  std::uint32_t queue);
// Enqueues the launches as one program, or as consecutive programs that fit; none if there are no launches.
void enqueue(const Tensor& result, const Launches& launches, const std::string& name, std::uint32_t queue);

}  // namespace pianola::tensor
