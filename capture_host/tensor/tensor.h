// Tensor: data of a shape and an element type, on the host or on a device.
//
// Place in the whole: what operations take and give, and what the pipeline and the Python package pass around. A Tensor
// is a handle: copies share what it stands for. On a device it owns a buffer, which goes with its last owner or with
// deallocate(). On the host it owns bytes; those of a read that has not completed yet are waited for by whoever looks
// at them, so that nobody sees what is not there. Throws TensorError and host::HostError. Host only; not for several
// threads at once.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "capture_host/api/device.h"
#include "capture_host/tensor/tensor_spec.h"
#include "pianola/span.h"

namespace pianola::tensor {

class Tensor {
  public:
    // Host data, row-major, whatever the layout: it becomes tiles in a transfer. Throws TENSOR-DATA where the size is
    // another.
    [[nodiscard]] static Tensor on_host(const TensorSpec& spec, std::vector<std::uint8_t> bytes);
    // Result of a read.
    [[nodiscard]] static Tensor on_host(const TensorSpec& spec, host::ReadHandle read);
    // Memory with whatever was there.
    [[nodiscard]] static Tensor on_device(const TensorSpec& spec, const std::shared_ptr<host::Device>& device,
                                          const host::MemoryOwner& owner = {});
    // Of a buffer that a loaded trace has brought along. Throws TENSOR-DATA where the buffer does not say what it
    // holds.
    [[nodiscard]] static Tensor on_buffer(const host::BufferPtr& buffer);

    [[nodiscard]] const TensorSpec& spec() const noexcept;
    [[nodiscard]] const Shape& shape() const noexcept { return spec().shape; }
    [[nodiscard]] ElementType type() const noexcept { return spec().type; }
    [[nodiscard]] const MemoryConfig& memory_config() const noexcept { return spec().memory; }
    [[nodiscard]] ElementLayout layout() const noexcept { return spec().layout; }
    [[nodiscard]] bool is_on_device() const noexcept;
    [[nodiscard]] bool is_allocated() const noexcept;
    // Host: the data are there, so that bytes() does not wait.
    [[nodiscard]] bool is_ready() const;

    // Device only; throw TENSOR-DEVICE or TENSOR-FREED.
    [[nodiscard]] const host::BufferPtr& buffer() const;
    [[nodiscard]] std::shared_ptr<host::Device> device() const;
    [[nodiscard]] std::uint32_t buffer_address() const { return buffer()->address(); }

    // Host only: the data, row-major whatever the layout. Waits for a read to complete.
    [[nodiscard]] const std::vector<std::uint8_t>& bytes() const;

    // Frees the memory: with `force` whoever else holds this tensor, else only where nobody does.
    void deallocate(bool force = true);

    // A host tensor with what this device tensor holds when the queue comes to the read; a host tensor is given as it
    // is.
    [[nodiscard]] Tensor cpu(bool blocking = true, std::uint32_t queue = 0U) const;
    // A device tensor of this layout with what this host tensor holds. Throws TENSOR-HOST for one on a device:
    // to_memory_config() is what moves one.
    [[nodiscard]] Tensor to(const std::shared_ptr<host::Device>& device, const MemoryConfig& memory,
                            std::uint32_t queue = 0U) const;
    // The same data in a shape of as many elements, which the caller has checked. On a device the last dimension is the
    // operand's, and the memory is shared: it goes with its last owner, or with deallocate() of either.
    [[nodiscard]] Tensor viewed_as(const Shape& shape) const;
    // On a device: the same bytes as another specification of as many, which the caller has checked.
    [[nodiscard]] Tensor viewed_as(const TensorSpec& spec) const;
    // On a device: the row-major matrix that the memory is, of tiles (tiles.h); else the tensor itself.
    [[nodiscard]] Tensor storage() const;
    // Replaces the data of this host tensor, for whoever shares it, by what `source` holds on its device.
    void read_from(const Tensor& source, std::uint32_t queue, bool blocking = false);

  private:
    struct Storage;
    explicit Tensor(std::shared_ptr<Storage> storage);

    std::shared_ptr<Storage> storage_;
};

// Enqueues the transfer of a host tensor's data into a device tensor of the same shape and type, in the layout of that.
void copy_host_to_device(const Tensor& host_tensor, const Tensor& device_tensor, std::uint32_t queue = 0U,
                         bool blocking = false);

}  // namespace pianola::tensor
