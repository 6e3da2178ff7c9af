// Tensor: data of a shape and an element type, on the host or on a device.
//
// Operations take and return tensors; the pipeline and the Python package pass them. A Tensor is a handle: copies share
// its data. On a device it owns a buffer, which its last owner or deallocate() frees. On the host it owns bytes; access
// to the bytes of a read waits until the read has completed. A distributed tensor is one for each device of a mesh, its
// shards, all of one shape; on a mesh they have one address. Throws TensorError, host::HostError and host::MeshError.
// Not for several threads at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "pianola/span.h"
#include "pianola_host/device.h"
#include "pianola_host/distribution.h"
#include "pianola_host/mesh_device.h"
#include "pianola_host/tensor_spec.h"

namespace pianola::tensor {

// The place of tensors: one device, or a mesh. Most calls of the host API have the same names on both.
using AnyDevice = std::variant<std::shared_ptr<host::Device>, host::MeshPtr>;
template <typename Call>
auto call_on(const AnyDevice& device, const Call& call) {
    return std::visit([&call](const auto& each) { return call(*each); }, device);
}

class Tensor {
  public:
    // Host data, row-major, whatever the layout: a transfer makes tiles of it. Throws TENSOR-DATA if the size differs.
    [[nodiscard]] static Tensor on_host(const TensorSpec& spec, std::vector<std::uint8_t> bytes);
    // Result of a read.
    [[nodiscard]] static Tensor on_host(const TensorSpec& spec, host::ReadHandle read);
    // Memory with whatever was there.
    [[nodiscard]] static Tensor on_device(const TensorSpec& spec, const std::shared_ptr<host::Device>& device,
                                          const host::MemoryOwner& owner = {});
    [[nodiscard]] static Tensor on_device(const TensorSpec& spec, const AnyDevice& device,
                                          const host::MemoryOwner& owner = {});
    // The tensor of a buffer that a loaded trace brought. Throws TENSOR-DATA if the buffer has no element type.
    [[nodiscard]] static Tensor on_buffer(const host::BufferPtr& buffer);
    // A distributed tensor: of equal shards on the host, or at the topology's coordinates of a mesh. Throws
    // API-MESH-UNEVEN, API-MESH-COMPOSE.
    [[nodiscard]] static Tensor of_shards(std::vector<Tensor> shards, Topology topology, host::MeshPtr mesh = nullptr);
    // Memory on the devices of a mesh that the topology names; without one, on all.
    [[nodiscard]] static Tensor on_mesh(const TensorSpec& spec, const host::MeshPtr& mesh,
                                        const std::optional<Topology>& topology = std::nullopt,
                                        const host::MemoryOwner& owner = {});

    [[nodiscard]] const TensorSpec& spec() const noexcept;
    [[nodiscard]] const Shape& shape() const noexcept { return spec().shape; }
    [[nodiscard]] ElementType type() const noexcept { return spec().type; }
    [[nodiscard]] const MemoryConfig& memory_config() const noexcept { return spec().memory; }
    [[nodiscard]] ElementLayout layout() const noexcept { return spec().layout; }
    [[nodiscard]] bool is_on_device() const noexcept;
    [[nodiscard]] bool is_allocated() const noexcept;
    // Host: the data are there, so that bytes() does not wait.
    [[nodiscard]] bool is_ready() const;

    // Shape and memory are those of a shard; buffer(), device() and bytes() are each shard's own.
    [[nodiscard]] bool is_distributed() const noexcept;
    // Throw API-MESH-COMPOSE if the tensor is not distributed.
    [[nodiscard]] const std::vector<Tensor>& shards() const;
    [[nodiscard]] const Topology& topology() const;
    [[nodiscard]] const host::MeshPtr& mesh() const;  // nullptr on the host

    // Device only; throw TENSOR-DEVICE or TENSOR-FREED.
    [[nodiscard]] const host::BufferPtr& buffer() const;
    [[nodiscard]] std::shared_ptr<host::Device> device() const;
    [[nodiscard]] AnyDevice place() const;
    [[nodiscard]] std::uint32_t buffer_address() const;

    // The data, row-major whatever the layout. Waits for a read to complete. For a distributed tensor: only if it has
    // one shard.
    [[nodiscard]] const std::vector<std::uint8_t>& bytes() const;

    // Frees the memory: with `force` even if other handles hold this tensor, else only if none does.
    void deallocate(bool force = true);

    // A host tensor with the contents of this device tensor when the queue executes the read; a host tensor is returned
    // unchanged.
    [[nodiscard]] Tensor cpu(bool blocking = true, std::uint32_t queue = 0U) const;
    // A device tensor of this layout with the contents of this host tensor. Throws TENSOR-HOST for a device tensor:
    // to_memory_config() moves that.
    [[nodiscard]] Tensor to(const std::shared_ptr<host::Device>& device, const MemoryConfig& memory,
                            std::uint32_t queue = 0U) const;
    // Moves the shards of this host tensor to the places of its topology; a tensor that is not distributed goes to all
    // devices.
    [[nodiscard]] Tensor to(const host::MeshPtr& mesh, const MemoryConfig& memory, std::uint32_t queue = 0U) const;
    [[nodiscard]] Tensor to(const AnyDevice& device, const MemoryConfig& memory, std::uint32_t queue = 0U) const;
    // The same data in a shape with the same number of elements, which the caller has checked. On a device the last
    // dimension is the operand's, and the memory is shared: its last owner, or deallocate() of either, frees it.
    [[nodiscard]] Tensor viewed_as(const Shape& shape) const;
    // On a device: the same bytes as another specification of as many, which the caller has checked.
    [[nodiscard]] Tensor viewed_as(const TensorSpec& spec) const;
    // On a device: the row-major matrix that the memory is, of tiles (tiles.h); else the tensor itself.
    [[nodiscard]] Tensor storage() const;
    // Replaces the data of this host tensor, for all its handles, by the contents of `source` on its device.
    void read_from(const Tensor& source, std::uint32_t queue, bool blocking = false);

  private:
    struct Storage;
    explicit Tensor(std::shared_ptr<Storage> storage);
    [[nodiscard]] std::vector<Tensor> shards_on_host(std::uint32_t queue) const;

    std::shared_ptr<Storage> storage_;
};

// Enqueues the transfer of a host tensor's data into a device tensor of the same shape and type, in the device tensor's
// layout; shard by shard if it is distributed, else to every shard.
void copy_host_to_device(const Tensor& host_tensor, const Tensor& device_tensor, std::uint32_t queue = 0U,
                         bool blocking = false);

// One for each shard, on the same memory.
[[nodiscard]] std::vector<Tensor> device_tensors(const Tensor& distributed);
// The other way: tensors of one mesh, at one address, none of them of the same device as another. Throws
// API-MESH-COMPOSE.
[[nodiscard]] Tensor combine_device_tensors(const std::vector<Tensor>& tensors);

}  // namespace pianola::tensor
