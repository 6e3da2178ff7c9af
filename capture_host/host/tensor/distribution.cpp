#include "pianola_host/distribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "capture_host/host/tensor/each_device.h"
#include "capture_host/host/tensor/tensor_storage.h"
#include "pianola_host/mesh_error.h"
#include "pianola_host/tensor.h"
#include "pianola_host/tensor_error.h"

namespace pianola::tensor {
namespace {

using host::MeshCoordinate;
using host::MeshError;
using host::MeshRule;
using host::MeshShape;

[[nodiscard]] std::uint32_t dimension_of(const Shape& shape, std::int32_t dimension) {
    const auto rank = static_cast<std::int32_t>(shape.size());
    if ((dimension < -rank) || (dimension >= rank)) {
        throw MeshError{MeshRule::kCompose, fmt::format("dimension {} is named; {} has dimensions {} to {}", dimension,
                                                        to_string(shape), -rank, rank - 1)};
    }
    return static_cast<std::uint32_t>((dimension < 0) ? (dimension + rank) : dimension);
}

// A tensor as runs of bytes: `outer` times the named dimension times `inner`.
struct Runs {
    std::uint64_t outer{1U};
    std::uint64_t inner{0U};  // bytes
};

[[nodiscard]] Runs runs_of(const TensorSpec& spec, std::uint32_t dimension) {
    const auto at = spec.shape.begin() + static_cast<std::ptrdiff_t>(dimension);
    return {element_count(Shape(spec.shape.begin(), at)),
            element_count(Shape(at + 1, spec.shape.end())) * bytes_per_element(spec.type)};
}

// The `index`-th of `count` equal parts.
[[nodiscard]] Tensor cut(const Tensor& whole, std::uint32_t dimension, std::uint32_t count, std::uint32_t index) {
    TensorSpec spec = whole.spec();
    const std::uint32_t size = spec.shape.at(dimension);
    if ((size % count) != 0U) {
        throw MeshError{MeshRule::kUneven,
                        fmt::format("dimension {} of {} has {} elements, which {} devices cannot share equally; pad it "
                                    "to {}",
                                    dimension, to_string(spec.shape), size, count, ((size / count) + 1U) * count)};
    }
    const Runs runs = runs_of(spec, dimension);
    const std::uint64_t from = runs.inner * size;
    const std::uint64_t bytes = from / count;
    std::vector<std::uint8_t> part;
    part.reserve(runs.outer * bytes);
    for (std::uint64_t i = 0U; i < runs.outer; ++i) {
        const auto begin = whole.bytes().begin() + static_cast<std::ptrdiff_t>((i * from) + (index * bytes));
        part.insert(part.end(), begin, begin + static_cast<std::ptrdiff_t>(bytes));
    }
    spec.shape.at(dimension) = size / count;
    return Tensor::on_host({spec.shape, spec.type, {}}, std::move(part));
}

[[nodiscard]] Tensor joined(const std::vector<Tensor>& parts, std::uint32_t dimension) {
    TensorSpec spec{parts.front().shape(), parts.front().type(), {}};
    const Runs runs = runs_of(spec, dimension);
    const std::uint64_t bytes = runs.inner * spec.shape.at(dimension);
    std::vector<std::uint8_t> whole;
    whole.reserve(runs.outer * bytes * parts.size());
    for (std::uint64_t i = 0U; i < runs.outer; ++i) {
        for (const Tensor& part : parts) {
            const auto begin = part.bytes().begin() + static_cast<std::ptrdiff_t>(i * bytes);
            whole.insert(whole.end(), begin, begin + static_cast<std::ptrdiff_t>(bytes));
        }
    }
    spec.shape.at(dimension) *= static_cast<std::uint32_t>(parts.size());
    return Tensor::on_host(spec, std::move(whole));
}

void require_different(const Shape& shape, const std::vector<std::int32_t>& dimensions) {
    std::vector<std::uint32_t> named;
    for (const std::int32_t each : dimensions) {
        const std::uint32_t dimension = dimension_of(shape, each);
        if (std::find(named.begin(), named.end(), dimension) != named.end()) {
            throw MeshError{MeshRule::kCompose,
                            fmt::format("dimension {} of {} is named twice", dimension, to_string(shape))};
        }
        named.push_back(dimension);
    }
}

}  // namespace

std::string to_string(const Placement& placement) {
    return placement.dimension.has_value() ? fmt::format("shard {}", *placement.dimension) : "replicate";
}

MeshCoordinate Topology::neighbour(const MeshCoordinate& place, std::int32_t steps, std::uint32_t dimension) const {
    if (dimension >= shape.dims()) {
        throw MeshError{MeshRule::kShape, fmt::format("dimension {} is named, {} has {}", dimension,
                                                      host::to_string(shape), shape.dims())};
    }
    static_cast<void>(place.index_in(shape));
    std::vector<std::uint32_t> values = place.values();
    const auto size = static_cast<std::int64_t>(shape[dimension]);
    const std::int64_t moved = (static_cast<std::int64_t>(values.at(dimension)) + steps) % size;
    values.at(dimension) = static_cast<std::uint32_t>((moved + size) % size);
    return coordinates.at(MeshCoordinate{std::move(values)}.index_in(shape));
}

Topology topology_for(const MeshShape& mesh, const MapperConfig& config) {
    const MeshShape shape = config.shape.value_or(mesh);
    if (config.placements.size() != shape.dims()) {
        throw MeshError{MeshRule::kCompose, fmt::format("{} placements are given for {}; give one for each dimension",
                                                        config.placements.size(), host::to_string(shape))};
    }
    if (shape.mesh_size() > mesh.mesh_size()) {
        throw MeshError{MeshRule::kUneven,
                        fmt::format("a tensor is spread over {}, {} devices, and the mesh is {}",
                                    host::to_string(shape), shape.mesh_size(), host::to_string(mesh))};
    }
    bool is_corner = shape.dims() == mesh.dims();
    for (std::size_t i = 0U; is_corner && (i < shape.dims()); ++i) {
        is_corner = shape[i] <= mesh[i];
    }
    Topology topology{shape, config.placements, {}};
    for (std::uint32_t i = 0U; i < shape.mesh_size(); ++i) {
        topology.coordinates.push_back(is_corner ? MeshCoordinate::at(shape, i) : MeshCoordinate::at(mesh, i));
    }
    return topology;
}

MapperConfig replicate_all(const MeshShape& mesh) {
    return {std::vector<Placement>(mesh.dims()), std::nullopt};
}

MapperConfig shard_all(const MeshShape& mesh, std::int32_t dimension) {
    return {{Placement{dimension}}, MeshShape{mesh.mesh_size()}};
}

Tensor distribute(const Tensor& whole, const MeshShape& mesh, const MapperConfig& config) {
    const Topology topology = topology_for(mesh, config);
    std::vector<std::int32_t> dimensions;
    for (const Placement& placement : topology.placements) {
        if (placement.dimension.has_value()) {
            dimensions.push_back(*placement.dimension);
        }
    }
    require_different(whole.shape(), dimensions);
    std::vector<Tensor> shards{whole};
    for (std::size_t axis = 0U; axis < topology.shape.dims(); ++axis) {
        std::vector<Tensor> finer;
        for (const Tensor& shard : shards) {
            for (std::uint32_t i = 0U; i < topology.shape[axis]; ++i) {
                const std::optional<std::int32_t>& dimension = topology.placements[axis].dimension;
                finer.push_back(dimension.has_value()
                                    ? cut(shard, dimension_of(whole.shape(), *dimension), topology.shape[axis], i)
                                    : shard);
            }
        }
        shards = std::move(finer);
    }
    return Tensor::of_shards(std::move(shards), topology);
}

Tensor aggregate(const Tensor& distributed, const ComposerConfig& config) {
    std::vector<Tensor> parts = distributed.shards();
    const MeshShape shape = config.shape.value_or(distributed.topology().shape);
    if ((config.dimensions.size() != shape.dims()) || (shape.mesh_size() != parts.size())) {
        throw MeshError{MeshRule::kCompose,
                        fmt::format("{} dimensions are given to put {} shards together as {}; give one dimension "
                                    "for each of the shape's, and a shard for each of its devices",
                                    config.dimensions.size(), parts.size(), host::to_string(shape))};
    }
    require_different(distributed.shape(), config.dimensions);
    for (std::size_t axis = shape.dims(); axis > 0U; --axis) {
        const std::uint32_t count = shape[axis - 1U];
        const std::uint32_t dimension = dimension_of(distributed.shape(), config.dimensions[axis - 1U]);
        std::vector<Tensor> wider;
        for (std::size_t first = 0U; first < parts.size(); first += count) {
            const auto begin = parts.begin() + static_cast<std::ptrdiff_t>(first);
            wider.push_back(joined({begin, begin + static_cast<std::ptrdiff_t>(count)}, dimension));
        }
        parts = std::move(wider);
    }
    return parts.front();
}

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
                            fmt::format("a shard is {} of {} on {}, and the first is {} of {} on {}; all must be equal",
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
                "tensors that are combined must lie on one mesh, at one address; get_device_tensors() gives such"};
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

void OperandDevices::add(const Tensor& tensor) {
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

void OperandDevices::run(const std::function<void(std::size_t)>& call) const {
    mesh_->in_step(topology_.coordinates,
                   [&](const std::shared_ptr<host::Device>& /*device*/, std::size_t i) { call(i); });
}

}  // namespace pianola::tensor
