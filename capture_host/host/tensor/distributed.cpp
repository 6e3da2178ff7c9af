// Distributed tensors.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "capture_host/host/tensor/each_device.h"
#include "capture_host/host/tensor/tensor_storage.h"
#include "pianola_host/tensor_error.h"

namespace pianola::tensor {

using host::MeshError;
using host::MeshRule;

Tensor Tensor::of_shards(std::vector<Tensor> shards, Topology topology, host::MeshPtr mesh) {
    if (shards.empty() || (shards.size() != topology.coordinates.size())) {
        throw MeshError{MeshRule::kCompose,
                        fmt::format("{} shards are given for {} places", shards.size(), topology.coordinates.size())};
    }
    const TensorSpec& first = shards.front().spec();
    for (const Tensor& shard : shards) {
        if ((shard.shape() != first.shape) || (shard.type() != first.type) || (shard.memory_config() != first.memory) ||
            shard.is_distributed() || (shard.is_on_device() != (mesh != nullptr))) {
            throw MeshError{MeshRule::kUneven,
                            fmt::format("a shard is {} of {} on {}, and the first is {} of {} on {}; all are equal",
                                        to_string(shard.shape()), type_name(shard.type()),
                                        shard.is_on_device() ? "a device" : "the host", to_string(first.shape),
                                        type_name(first.type), (mesh != nullptr) ? "a device" : "the host")};
        }
    }
    auto storage = std::make_shared<Storage>();
    storage->spec = first;
    storage->on_device = mesh != nullptr;
    storage->shards = std::move(shards);
    storage->topology = std::move(topology);
    storage->mesh = std::move(mesh);
    return Tensor{std::move(storage)};
}

Tensor Tensor::on_mesh(const TensorSpec& spec, const host::MeshPtr& mesh, const std::optional<Topology>& topology,
                       const host::MemoryOwner& owner) {
    const Topology places = topology.value_or(topology_for(mesh->shape(), replicate_all(mesh->shape())));
    std::vector<Tensor> shards;
    mesh->in_step(places.coordinates, [&](const std::shared_ptr<host::Device>& device, std::size_t /*i*/) {
        shards.push_back(on_device(spec, device, owner));
    });
    return of_shards(std::move(shards), places, mesh);
}

Tensor Tensor::on_device(const TensorSpec& spec, const AnyDevice& device, const host::MemoryOwner& owner) {
    const auto* const mesh = std::get_if<host::MeshPtr>(&device);
    return (mesh != nullptr) ? on_mesh(spec, *mesh, std::nullopt, owner) : on_device(spec, std::get<0>(device), owner);
}

AnyDevice Tensor::place() const {
    return is_distributed() ? AnyDevice{mesh()} : AnyDevice{device()};
}

Tensor Tensor::to(const AnyDevice& device, const MemoryConfig& memory, std::uint32_t queue) const {
    return std::visit([&](const auto& each) { return to(each, memory, queue); }, device);
}

const std::vector<Tensor>& Tensor::shards() const {
    if (!is_distributed()) {
        throw MeshError{MeshRule::kCompose, "the tensor is not distributed; a mapper does that"};
    }
    return storage_->shards;
}

const Topology& Tensor::topology() const {
    static_cast<void>(shards());
    return storage_->topology;
}

const host::MeshPtr& Tensor::mesh() const {
    static_cast<void>(shards());
    return storage_->mesh;
}

std::vector<Tensor> Tensor::shards_on_host(std::uint32_t queue) const {
    std::vector<Tensor> read;
    storage_->mesh->as_one_transfer(storage_->shards.size(), [&] {
        for (std::size_t i = 0U; i < storage_->shards.size(); ++i) {
            storage_->mesh->with_device(storage_->topology.coordinates[i], [&](host::Device& /*device*/) {
                read.push_back(storage_->shards[i].cpu(false, queue));
            });
        }
    });
    return read;
}

Tensor Tensor::to(const host::MeshPtr& mesh, const MemoryConfig& memory, std::uint32_t queue) const {
    if (storage_->on_device) {
        throw TensorError{TensorRule::kHost, "the tensor lies on devices already; to_memory_config() moves it"};
    }
    std::optional<Topology> places;
    if (is_distributed()) {
        places = storage_->topology;
    }
    Tensor moved = on_mesh(TensorSpec{shape(), type(), memory}, mesh, places, {queue});
    copy_host_to_device(*this, moved, queue);
    return moved;
}

std::vector<Tensor> device_tensors(const Tensor& distributed) {
    std::vector<Tensor> each;
    for (std::size_t i = 0U; i < distributed.shards().size(); ++i) {
        each.push_back(Tensor::of_shards(
            {distributed.shards()[i]},
            Topology{host::MeshShape{1U}, {Placement{}}, {distributed.topology().coordinates[i]}}, distributed.mesh()));
    }
    return each;
}

Tensor combine_device_tensors(const std::vector<Tensor>& tensors) {
    std::vector<Tensor> shards;
    Topology topology{host::MeshShape{1U}, {Placement{0}}, {}};
    std::set<host::MeshCoordinate> taken;
    for (const Tensor& tensor : tensors) {
        if ((tensor.mesh() != tensors.front().mesh()) || (tensor.mesh() == nullptr) ||
            (tensor.buffer_address() != tensors.front().buffer_address())) {
            throw MeshError{
                MeshRule::kCompose,
                "tensors that are combined lie on one mesh, at one address; get_device_tensors() gives such"};
        }
        for (std::size_t i = 0U; i < tensor.shards().size(); ++i) {
            const host::MeshCoordinate& place = tensor.topology().coordinates[i];
            if (!taken.insert(place).second) {
                throw MeshError{MeshRule::kCompose, fmt::format("device {} is named twice", host::to_string(place))};
            }
            shards.push_back(tensor.shards()[i]);
            topology.coordinates.push_back(place);
        }
    }
    if (shards.empty()) {
        throw MeshError{MeshRule::kCompose, "nothing is combined; give at least one tensor"};
    }
    topology.shape = host::MeshShape{static_cast<std::uint32_t>(shards.size())};
    return Tensor::of_shards(std::move(shards), std::move(topology), tensors.front().mesh());
}

void Spread::add(const Tensor& tensor) {
    if (!tensor.is_distributed() || (tensor.mesh() == nullptr)) {
        throw MeshError{MeshRule::kForeign,
                        fmt::format("{}: an operand is distributed over a mesh, and another one lies on {}; bring it "
                                    "to the mesh as well",
                                    operation_, tensor.is_on_device() ? "one device" : "the host")};
    }
    const std::vector<host::MeshCoordinate>& places = tensor.topology().coordinates;
    if (mesh_ == nullptr) {
        topology_ = tensor.topology();
        mesh_ = tensor.mesh();
    }
    bool is_same = places.size() == topology_.coordinates.size();
    for (std::size_t i = 0U; is_same && (i < places.size()); ++i) {
        is_same = mesh_->device(topology_.coordinates[i]) == tensor.mesh()->device(places[i]);
    }
    if (!is_same) {
        throw MeshError{MeshRule::kForeign,
                        fmt::format("{}: operands are spread over different devices: {} of {}, {} of {}", operation_,
                                    topology_.coordinates.size(), mesh_->name(), places.size(), tensor.mesh()->name())};
    }
    const auto is_cut = [](const Topology& each) {
        return std::any_of(each.placements.begin(), each.placements.end(),
                           [](const Placement& placement) { return placement.dimension.has_value(); });
    };
    if (!is_cut(topology_) && is_cut(tensor.topology())) {
        const std::vector<host::MeshCoordinate> coordinates = topology_.coordinates;
        topology_ = tensor.topology();
        topology_.coordinates = coordinates;  // of the first operand's mesh
    }
}

void Spread::run(const std::function<void(std::size_t)>& call) const {
    mesh_->in_step(topology_.coordinates,
                   [&](const std::shared_ptr<host::Device>& /*device*/, std::size_t i) { call(i); });
}

}  // namespace pianola::tensor
