// TensorSpec and MemoryConfig: what a tensor is, and where it lies.
//
// Place in the whole: shared by tensors, operations and the pipeline. A tensor of shape [d0]...[dn-1] is stored as a
// matrix with d0 x ... x dn-2 rows of dn-1 elements, row-major and dense; shards are blocks of that matrix. The device
// has no tiles, so that there is no other layout of elements. Host only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "capture_host/buffers/buffer.h"
#include "capture_host/buffers/geometry.h"
#include "pianola/image.h"

namespace pianola::tensor {

using Shape = std::vector<std::uint32_t>;

// Where a tensor lies on a device. Sharded layouts need a shard specification; interleaved ones must not have one.
struct MemoryConfig {
    host::Layout layout{host::Layout::kInterleaved};
    host::Memory memory{host::Memory::kDram};
    std::optional<host::ShardSpec> shard;
};
[[nodiscard]] bool operator==(const MemoryConfig& left, const MemoryConfig& right) noexcept;
[[nodiscard]] inline bool operator!=(const MemoryConfig& left, const MemoryConfig& right) noexcept {
    return !(left == right);
}
[[nodiscard]] std::string to_string(const MemoryConfig& config);

inline const MemoryConfig kDramInterleaved{};
[[nodiscard]] inline MemoryConfig l1_interleaved() {
    return MemoryConfig{host::Layout::kInterleaved, host::Memory::kL1, std::nullopt};
}

// Shards of a shape over cores: as even as rows and columns allow. In DRAM the cores say only how many shards there
// are. Block shards need one rectangle of cores: its height divides rows, its width columns. Throws TENSOR-MEMORY.
[[nodiscard]] MemoryConfig sharded(const Shape& shape, const host::CoreRangeSet& cores, host::Layout layout,
                                   host::Memory memory = host::Memory::kL1);

struct TensorSpec {
    Shape shape;
    ElementType type{ElementType::kInt8};
    MemoryConfig memory;
};

// Throws TENSOR-SHAPE or TENSOR-TYPE: 1 to 8 dimensions of at least 1, below 2^31 bytes, a type that tensors can have.
void check_spec(const TensorSpec& spec);

[[nodiscard]] std::uint32_t bytes_per_element(ElementType type);
[[nodiscard]] const char* type_name(ElementType type) noexcept;
[[nodiscard]] std::uint64_t element_count(const Shape& shape) noexcept;
[[nodiscard]] std::uint32_t columns_of(const Shape& shape) noexcept;
[[nodiscard]] std::uint64_t rows_of(const Shape& shape) noexcept;
[[nodiscard]] std::uint64_t size_bytes(const TensorSpec& spec);
[[nodiscard]] std::string to_string(const Shape& shape);

// What the host API allocates for a tensor.
[[nodiscard]] host::BufferConfig buffer_config(const TensorSpec& spec);

}  // namespace pianola::tensor
