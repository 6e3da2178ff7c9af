#include "pianola_host/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "capture_host/host/tensor/tensor_storage.h"
#include "capture_host/host/tensor/tiles.h"
#include "pianola_host/tensor_error.h"

namespace pianola::tensor {

Tensor::Tensor(std::shared_ptr<Storage> storage) : storage_{std::move(storage)} {}

Tensor Tensor::on_host(const TensorSpec& spec, std::vector<std::uint8_t> bytes) {
    check_spec(spec);
    if (bytes.size() != size_bytes(spec)) {
        throw TensorError{TensorRule::kData,
                          fmt::format("{} of {} is {} bytes, and {} were given", to_string(spec.shape),
                                      type_name(spec.type), size_bytes(spec), bytes.size())};
    }
    auto storage = std::make_shared<Storage>();
    storage->spec = spec;
    storage->bytes = std::move(bytes);
    return Tensor{std::move(storage)};
}

Tensor Tensor::on_host(const TensorSpec& spec, host::ReadHandle read) {
    check_spec(spec);
    auto storage = std::make_shared<Storage>();
    storage->spec = spec;
    storage->pending = true;
    storage->read = std::move(read);
    storage->read_tiles = spec.layout == ElementLayout::kTile;
    return Tensor{std::move(storage)};
}

Tensor Tensor::on_device(const TensorSpec& spec, const std::shared_ptr<host::Device>& device,
                         const host::MemoryOwner& owner) {
    check_spec(spec);
    auto storage = std::make_shared<Storage>();
    storage->spec = spec;
    storage->spec.memory = resolved(spec.memory, spec.shape, spec.layout, host::all_cores(device->spec()));
    storage->on_device = true;
    host::BufferConfig config = buffer_config(storage->spec);
    config.owner = owner;
    storage->buffer = device->allocate(config);
    return Tensor{std::move(storage)};
}

Tensor Tensor::on_buffer(const host::BufferPtr& buffer) {
    const host::BufferConfig& config = buffer->config();
    const TensorSpec spec{config.shape, config.type, {config.layout, config.memory, config.shard}};
    check_spec(spec);
    if (size_bytes(spec) != buffer->size_bytes()) {
        throw TensorError{TensorRule::kData,
                          fmt::format("{} of {} is {} bytes, and the buffer has {}", to_string(spec.shape),
                                      type_name(spec.type), size_bytes(spec), buffer->size_bytes())};
    }
    auto storage = std::make_shared<Storage>();
    storage->spec = spec;
    storage->on_device = true;
    storage->buffer = buffer;
    return Tensor{std::move(storage)};
}

const TensorSpec& Tensor::spec() const noexcept {
    return storage_->spec;
}

bool Tensor::is_on_device() const noexcept {
    return storage_->on_device;
}

bool Tensor::is_distributed() const noexcept {
    return !storage_->shards.empty();
}

bool Tensor::is_allocated() const noexcept {
    if (is_distributed()) {
        return std::all_of(storage_->shards.begin(), storage_->shards.end(),
                           [](const Tensor& shard) { return shard.is_allocated(); });
    }
    return !storage_->freed && (!storage_->on_device || storage_->buffer->is_allocated());
}

bool Tensor::is_ready() const {
    if (is_distributed()) {
        return std::all_of(storage_->shards.begin(), storage_->shards.end(),
                           [](const Tensor& shard) { return shard.is_ready(); });
    }
    return !storage_->on_device && (!storage_->pending || storage_->read.is_ready());
}

const host::BufferPtr& Tensor::buffer() const {
    if (is_distributed()) {
        throw TensorError{
            TensorRule::kDevice,
            "the tensor is distributed; this takes one that lies on one device, as device_tensors() gives "
            "them"};
    }
    if (!storage_->on_device) {
        throw TensorError{TensorRule::kDevice, "the tensor lies on the host; bring it to a device with to() first"};
    }
    if (!is_allocated()) {
        throw TensorError{TensorRule::kFreed,
                          "the tensor was deallocated, or its device closed, before this use of it"};
    }
    return storage_->buffer;
}

std::shared_ptr<host::Device> Tensor::device() const {
    return buffer()->device();
}

std::uint32_t Tensor::buffer_address() const {
    return is_distributed() ? storage_->shards.front().buffer_address() : buffer()->address();
}

const std::vector<std::uint8_t>& Tensor::bytes() const {
    if (is_distributed()) {
        if (storage_->shards.size() != 1U) {
            throw host::MeshError{
                host::MeshRule::kCompose,
                fmt::format("the tensor has {} shards; give a composer, which says how they are put together",
                            storage_->shards.size())};
        }
        return storage_->shards.front().bytes();
    }
    if (storage_->on_device) {
        throw TensorError{TensorRule::kHost, "the tensor lies on a device; read it with cpu() first"};
    }
    if (storage_->freed) {
        throw TensorError{TensorRule::kFreed, "the tensor was deallocated before this use of it"};
    }
    if (storage_->pending && storage_->read_tiles) {
        const std::vector<std::uint8_t>& tiles = storage_->read.data();
        storage_->bytes = untilized(ByteSpan{tiles.data(), tiles.size()}, spec());
        storage_->pending = false;
    }
    return storage_->pending ? storage_->read.data() : storage_->bytes;
}

void Tensor::deallocate(bool force) {
    const bool is_shared = (storage_.use_count() > 1) || (storage_->viewed.use_count() > 1);
    if (storage_->freed || (!force && is_shared)) {
        return;
    }
    for (Tensor& shard : storage_->shards) {
        shard.deallocate(force);
    }
    if (storage_->on_device && (storage_->buffer != nullptr) && storage_->buffer->is_allocated()) {
        if (const std::shared_ptr<host::Device> owner = storage_->buffer->device()) {
            owner->deallocate(storage_->buffer);
        }
    }
    storage_->freed = true;
    storage_->pending = false;
    storage_->read = host::ReadHandle{};
    storage_->bytes = {};
}

Tensor Tensor::cpu(bool blocking, std::uint32_t queue) const {
    if (!storage_->on_device) {
        return *this;
    }
    if (is_distributed()) {
        std::vector<Tensor> read = shards_on_host(queue);
        if (blocking) {
            for (std::size_t i = 0U; i < read.size(); ++i) {
                storage_->mesh->with_device(storage_->topology.coordinates[i],
                                            [&](host::Device&) { static_cast<void>(read[i].bytes()); });
            }
        }
        return of_shards(std::move(read), storage_->topology);
    }
    const host::BufferPtr& source = buffer();
    return on_host(spec(), device()->enqueue_read(queue, source, blocking));
}

Tensor Tensor::to(const std::shared_ptr<host::Device>& device, const MemoryConfig& memory, std::uint32_t queue) const {
    if (storage_->on_device) {
        throw TensorError{TensorRule::kHost, "the tensor lies on a device already; to_memory_config() moves it"};
    }
    Tensor moved = on_device(TensorSpec{shape(), type(), memory, layout()}, device, {queue});
    copy_host_to_device(*this, moved, queue);
    return moved;
}

Tensor Tensor::viewed_as(const Shape& shape) const {
    const TensorSpec spec{shape, type(), memory_config(), layout()};
    if (is_distributed()) {
        std::vector<Tensor> views;
        for (const Tensor& shard : storage_->shards) {
            views.push_back(shard.viewed_as(shape));
        }
        return of_shards(std::move(views), storage_->topology, storage_->mesh);
    }
    return storage_->on_device ? viewed_as(spec) : on_host(spec, bytes());
}

Tensor Tensor::storage() const {
    return ((layout() == ElementLayout::kTile) && storage_->on_device) ? viewed_as(storage_spec(spec())) : *this;
}

Tensor Tensor::viewed_as(const TensorSpec& spec) const {
    auto view = std::make_shared<Storage>();
    view->spec = spec;
    view->on_device = true;
    view->buffer = buffer();
    view->viewed = storage_;
    return Tensor{std::move(view)};
}

void Tensor::read_from(const Tensor& source, std::uint32_t queue, bool blocking) {
    if (storage_->on_device) {
        throw TensorError{TensorRule::kHost, "only a tensor on the host can be read into"};
    }
    if ((shape() != source.shape()) || (type() != source.type())) {
        throw TensorError{TensorRule::kShape,
                          fmt::format("{} of {} cannot be read into {} of {}", to_string(source.shape()),
                                      type_name(source.type()), to_string(shape()), type_name(type()))};
    }
    if (source.is_distributed()) {
        *storage_ = *source.cpu(blocking, queue).storage_;
        return;
    }
    storage_->shards.clear();
    storage_->read = source.device()->enqueue_read(queue, source.buffer(), blocking);
    storage_->read_tiles = source.layout() == ElementLayout::kTile;
    storage_->pending = true;
    storage_->freed = false;
    storage_->bytes = {};
}

namespace {

// The shards share their bytes.
bool are_replicas(const Tensor& source) {
    return !source.is_distributed() ||
           std::all_of(source.shards().begin(), source.shards().end(),
                       [&](const Tensor& shard) { return &shard.bytes() == &source.shards().front().bytes(); });
}

void copy_to_mesh(const Tensor& source, const Tensor& destination, std::uint32_t queue, bool blocking) {
    const std::vector<Tensor>& shards = destination.shards();
    const std::vector<host::MeshCoordinate>& places = destination.topology().coordinates;
    if (source.is_distributed() && (source.shards().size() != shards.size())) {
        throw host::MeshError{host::MeshRule::kUneven,
                              fmt::format("{} shards are copied into {}", source.shards().size(), shards.size())};
    }
    const auto copy = [&] {
        destination.mesh()->in_step(places, [&](const std::shared_ptr<host::Device>& /*device*/, std::size_t i) {
            copy_host_to_device(source.is_distributed() ? source.shards()[i] : source, shards[i], queue);
        });
    };
    if (are_replicas(source)) {
        destination.mesh()->as_one_transfer(shards.size(), [&] { destination.mesh()->as_replicas(copy); });
    } else {
        destination.mesh()->as_one_transfer(shards.size(), copy);
    }
    if (blocking) {
        for (const host::MeshCoordinate& place : places) {
            destination.mesh()->with_device(place, [queue](host::Device& device) { device.finish(queue); });
        }
    }
}

}  // namespace

void copy_host_to_device(const Tensor& host_tensor, const Tensor& device_tensor, std::uint32_t queue, bool blocking) {
    if (host_tensor.is_on_device()) {
        throw TensorError{TensorRule::kHost,
                          "the source of a host-to-device copy lies on a device; reshard() copies there"};
    }
    if (!device_tensor.is_on_device()) {
        throw TensorError{TensorRule::kDevice, "the destination of a host-to-device copy lies on the host"};
    }
    if ((host_tensor.shape() != device_tensor.shape()) || (host_tensor.type() != device_tensor.type())) {
        throw TensorError{
            TensorRule::kShape,
            fmt::format("host data are {} of {}, and the device tensor is {} of {}; both must be the same",
                        to_string(host_tensor.shape()), type_name(host_tensor.type()), to_string(device_tensor.shape()),
                        type_name(device_tensor.type()))};
    }
    if (device_tensor.is_distributed()) {
        copy_to_mesh(host_tensor, device_tensor, queue, blocking);
        return;
    }
    const bool tiles = device_tensor.layout() == ElementLayout::kTile;
    const std::vector<std::uint8_t>& rows = host_tensor.bytes();
    const std::vector<std::uint8_t> converted =
        tiles ? tilized(ByteSpan{rows.data(), rows.size()}, device_tensor.spec()) : std::vector<std::uint8_t>{};
    const std::vector<std::uint8_t>& data = tiles ? converted : rows;
    device_tensor.device()->enqueue_write(queue, device_tensor.buffer(), ByteSpan{data.data(), data.size()}, blocking);
}

}  // namespace pianola::tensor
