// Buffer: an allocation of device memory, and the placement of a matrix of host data in it.
//
// Device::allocate() returns buffers, programs name them in their arguments, and transfers fill them. The host sees a
// buffer as rows x row_bytes bytes, row-major; its layout says where they are. Shared by its owners; the last owner
// frees it, as does Device::deallocate(). Addresses are device addresses.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pianola/image.h"
#include "pianola_host/geometry.h"
#include "pianola_host/ids.h"

namespace pianola::host {

using Memory = pianola::MemoryKind;  // kDram, kL1

enum class Layout : std::uint8_t {
    kInterleaved,    // DRAM: contiguous (banks take turns every 1 KiB). L1: page p lies on core p % n, at slot p / n
    kHeightSharded,  // shards are stacked rows
    kWidthSharded,   // shards are columns side by side
    kBlockSharded,   // both, row by row of shards
};

// Shard i is on core i of `cores`, at the same offset on every core. In DRAM, where `cores` stays empty, shards are
// consecutive, each at a multiple of 1024, so that consecutive shards start in consecutive banks. A shard is row-major
// and dense; shards at the right and lower edge may be smaller.
struct ShardSpec {
    CoreRangeSet cores;
    std::uint32_t rows{0U};     // of one shard
    std::uint32_t columns{0U};  // of one shard, in elements
};

// The owner of a buffer's memory, on a device with several queues: memory of one owner is not allocated to another one
// before the device was idle. So allocations of the library cannot collide with unfinished work of other queues.
struct MemoryOwner {
    std::uint32_t queue{0U};  // the queue that uses it first
    bool temporary{false};    // allocated and freed within one operation, unknown to its caller
};

struct BufferConfig {
    std::uint64_t rows{0U};
    std::uint64_t row_bytes{0U};
    std::uint32_t element_bytes{1U};  // divides row_bytes
    std::uint32_t page_bytes{0U};     // interleaved L1: divides row_bytes, or is a multiple of it; 0: one row
    Memory memory{Memory::kDram};
    Layout layout{Layout::kInterleaved};
    std::optional<ShardSpec> shard;
    MemoryOwner owner;
    // Type and shape of the contents, for code that finds the buffer by a loaded trace; not used here.
    ElementType type{ElementType::kUnspecified};
    std::vector<std::uint32_t> shape;
};

// One block of host data that is dense in device memory: rows x column_bytes, row-major on both sides.
struct Piece {
    std::uint32_t device_address{0U};
    std::uint32_t bytes{0U};
    std::uint64_t row_begin{0U};
    std::uint64_t rows{0U};
    std::uint64_t column_begin_bytes{0U};
    std::uint64_t column_bytes{0U};
    std::optional<CoreCoord> core;  // L1 only
};

// A run of device memory.
struct AddressRange {
    std::uint32_t address{0U};
    std::uint32_t bytes{0U};
};

class Device;

class Buffer {
    // Buffers come from devices only.
    class Key {
        friend struct BufferPlacement;
        Key() = default;
    };

  public:
    explicit Buffer(Key /*key*/) {}
    ~Buffer();
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    [[nodiscard]] BufferId id() const noexcept { return id_; }
    // The id of the first device's buffer, for buffers that a mesh allocated as one; else the buffer's own id.
    [[nodiscard]] BufferId first_twin() const noexcept { return first_twin_; }
    [[nodiscard]] const BufferConfig& config() const noexcept { return config_; }
    [[nodiscard]] std::uint64_t size_bytes() const noexcept { return config_.rows * config_.row_bytes; }
    [[nodiscard]] bool is_allocated() const noexcept { return allocated_; }
    [[nodiscard]] std::shared_ptr<Device> device() const { return device_.lock(); }  // nullptr after its end

    // The device address of the first byte; in L1, on the first core.
    [[nodiscard]] std::uint32_t address() const;
    // Shards (interleaved L1: cores in use), and where each begins. Interleaved DRAM: one.
    [[nodiscard]] std::uint32_t shard_count() const noexcept { return static_cast<std::uint32_t>(shards_.size()); }
    [[nodiscard]] std::uint32_t shard_address(std::uint32_t shard) const;
    [[nodiscard]] std::uint32_t shard_bytes(std::uint32_t shard) const;
    [[nodiscard]] std::optional<CoreCoord> shard_core(std::uint32_t shard) const;
    // Index of the shard on `core`.
    [[nodiscard]] std::optional<std::uint32_t> shard_on(CoreCoord core) const;

    // Shard by shard; interleaved L1: page by page.
    [[nodiscard]] const std::vector<Piece>& pieces() const noexcept { return pieces_; }
    // Contiguous device memory in the order of pieces(); one transfer moves one run.
    [[nodiscard]] const std::vector<AddressRange>& runs() const noexcept { return runs_; }
    // The buffer's bytes in the host's order, in as few contiguous runs of device memory as there are.
    [[nodiscard]] std::vector<AddressRange> host_runs() const;

  private:
    friend class Device;
    friend struct BufferPlacement;
    struct Shard {
        std::uint32_t address{0U};
        std::uint32_t bytes{0U};
        std::optional<CoreCoord> core;
    };

    BufferId id_;
    BufferId first_twin_;
    BufferConfig config_;
    std::weak_ptr<Device> device_;
    bool allocated_{false};
    std::uint32_t offset_{0U};          // in its allocator
    std::uint32_t reserved_bytes_{0U};  // there; L1: on every core
    std::vector<Shard> shards_;
    std::vector<Piece> pieces_;
    std::vector<AddressRange> runs_;
};

using BufferPtr = std::shared_ptr<Buffer>;

struct NamedBuffer {
    std::string name;
    BufferPtr buffer;
};

class RangeSet;
[[nodiscard]] RangeSet addresses_of(const Buffer& buffer);
// Whether a set of device addresses and a buffer have a byte in common.
[[nodiscard]] bool touches(const RangeSet& addresses, const Buffer& buffer);

}  // namespace pianola::host
