// Operations on distributed tensors: the same operation on each device, with its own shards.
//
// Each operation starts with it. Devices allocate memory in step, so that results have one address.
#pragma once

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "pianola_host/mesh_device.h"
#include "pianola_host/operations.h"

namespace pianola::tensor {

// Visits the tensors in an argument of an operation; arguments of other types have none.
template <typename Visit>
void visit_tensors(const Tensor& tensor, const Visit& visit) {
    visit(tensor);
}
template <typename Visit>
void visit_tensors(const std::optional<Tensor>& tensor, const Visit& visit) {
    if (tensor.has_value()) {
        visit(*tensor);
    }
}
template <typename Visit>
void visit_tensors(const std::vector<Tensor>& tensors, const Visit& visit) {
    for (const Tensor& tensor : tensors) {
        visit(tensor);
    }
}
template <typename Visit>
void visit_tensors(const OperationOptions& options, const Visit& visit) {
    visit_tensors(options.output, visit);
}
template <typename Argument, typename Visit>
void visit_tensors(const Argument& /*argument*/, const Visit& /*visit*/) {}

template <typename... Arguments>
[[nodiscard]] bool is_distributed(const Arguments&... arguments) {
    bool any = false;
    const auto look = [&any](const Tensor& tensor) { any = any || tensor.is_distributed(); };
    (visit_tensors(arguments, look), ...);
    return any;
}

// The i-th shard of a distributed argument; other arguments as they are.
[[nodiscard]] inline Tensor shard_of(const Tensor& tensor, std::size_t i) {
    return tensor.is_distributed() ? tensor.shards().at(i) : tensor;
}
[[nodiscard]] inline std::optional<Tensor> shard_of(const std::optional<Tensor>& tensor, std::size_t i) {
    return tensor.has_value() ? std::optional{shard_of(*tensor, i)} : std::nullopt;
}
[[nodiscard]] inline std::vector<Tensor> shard_of(const std::vector<Tensor>& tensors, std::size_t i) {
    std::vector<Tensor> shards;
    for (const Tensor& tensor : tensors) {
        shards.push_back(shard_of(tensor, i));
    }
    return shards;
}
[[nodiscard]] inline OperationOptions shard_of(const OperationOptions& options, std::size_t i) {
    return OperationOptions{options.memory, shard_of(options.output, i), options.queue};
}
template <typename Argument>
[[nodiscard]] Argument shard_of(const Argument& argument, std::size_t /*i*/) {
    return argument;
}

// The devices of the operands of one call, which must be the same for all operands.
class OperandDevices {
  public:
    explicit OperandDevices(const char* operation) : operation_{operation} {}

    void add(const Tensor& tensor);
    // Calls call(i) for each device, in step. Throws API-MESH-FOREIGN for operands of different devices.
    void run(const std::function<void(std::size_t)>& call) const;
    [[nodiscard]] const Topology& topology() const { return topology_; }
    [[nodiscard]] const host::MeshPtr& mesh() const { return mesh_; }

  private:
    const char* operation_;
    Topology topology_;
    host::MeshPtr mesh_;  // of the first operand; null before add()
};

// Calls the operation for each device. Returns the results as one tensor if the operation has results.
template <typename Operation, typename... Arguments>
auto for_each_device(const char* name, const Operation& operation, const Arguments&... arguments) {
    OperandDevices devices{name};
    (visit_tensors(arguments, [&devices](const Tensor& tensor) { devices.add(tensor); }), ...);
    using Result = decltype(operation(shard_of(arguments, 0U)...));
    if constexpr (std::is_void_v<Result>) {
        devices.run([&](std::size_t i) { operation(shard_of(arguments, i)...); });
    } else {
        std::vector<Tensor> results;
        devices.run([&](std::size_t i) { results.push_back(operation(shard_of(arguments, i)...)); });
        return Tensor::of_shards(std::move(results), devices.topology(), devices.mesh());
    }
}

}  // namespace pianola::tensor
