// TensorSpec and MemoryConfig: the shape and type of a tensor, and its place.
//
// A tensor of shape [d0]...[dn-1] is stored as a matrix with d0 x ... x dn-2 rows of dn-1 elements, row-major and
// dense; shards are blocks of that matrix. With the layout kTile it is stored in tiles: tiles.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pianola/image.h"
#include "pianola_host/buffer.h"
#include "pianola_host/geometry.h"

namespace pianola::tensor {

using Shape = std::vector<std::uint32_t>;

// Order of elements in memory. The shape is the same in both.
enum class ElementLayout : std::uint8_t { kRowMajor, kTile };
[[nodiscard]] const char* layout_name(ElementLayout layout) noexcept;

// The place of a tensor on a device. Interleaved layouts must not have a shard specification; a sharded one without it
// becomes shards over all cores of the device when a tensor uses it: resolved().
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
    ElementLayout layout{ElementLayout::kRowMajor};
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

// Memory with the place of every shard: a sharded layout without shards has them over all `cores`, as sharded() makes
// them of the shape, or of its tiles.
[[nodiscard]] MemoryConfig resolved(const MemoryConfig& memory, const Shape& shape, ElementLayout layout,
                                    const host::CoreRangeSet& cores);

// The buffer that the host API allocates for a tensor, which must be resolved.
[[nodiscard]] host::BufferConfig buffer_config(const TensorSpec& spec);

}  // namespace pianola::tensor
