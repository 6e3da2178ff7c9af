#include "capture_host/tflite/operators/broadcast_plan.h"

#include <algorithm>

namespace pianola::tflite {
namespace {

// Neighbouring dimensions along which the same operands are repeated.
struct Group {
    std::uint32_t size{1U};
    std::uint32_t repeated{0U};  // bit i: operand i
};

std::size_t highest_rank(const std::vector<const Tensor*>& operands) {
    std::size_t rank = 0U;
    for (const Tensor* const operand : operands) {
        rank = std::max(rank, operand->shape.size());
    }
    return rank;
}

// The size of dimension `axis` of `rank`, with leading ones added.
std::uint32_t size_at(const Tensor& tensor, std::size_t axis, std::size_t rank) {
    const std::size_t front = rank - tensor.shape.size();
    return (axis < front) ? 1U : tensor.shape[axis - front];
}

std::vector<Group> groups_of(const OperatorContext& context, const std::vector<const Tensor*>& operands,
                             const Tensor& output) {
    const std::size_t rank = highest_rank(operands);
    context.require(output.shape.size() == rank, "its output does not follow from its inputs");
    std::vector<Group> groups;
    for (std::size_t axis = 0U; axis < rank; ++axis) {
        Group group;
        for (const Tensor* const operand : operands) {
            group.size = std::max(group.size, size_at(*operand, axis, rank));
        }
        for (std::size_t i = 0U; i < operands.size(); ++i) {
            const std::uint32_t size = size_at(*operands[i], axis, rank);
            context.require((size == group.size) || (size == 1U), "its shapes cannot be broadcast");
            group.repeated |= (size == group.size) ? 0U : (1U << i);
        }
        context.require(size_at(output, axis, rank) == group.size, "its output does not follow from its inputs");
        if (group.size == 1U) {
            continue;
        }
        if (!groups.empty() && (groups.back().repeated == group.repeated)) {
            groups.back().size *= group.size;  // at most the number of elements
        } else {
            groups.push_back(group);
        }
    }
    return groups;
}

}  // namespace

BroadcastPlan plan_broadcast(const OperatorContext& context, const std::vector<const Tensor*>& operands,
                             const Tensor& output) {
    const std::vector<Group> groups = groups_of(context, operands, output);
    BroadcastPlan plan;
    context.require(groups.size() <= plan.dims.size(), "broadcasting along so many dimensions is not supported");
    plan.strides.resize(operands.size());
    const std::size_t front = plan.dims.size() - groups.size();
    std::vector<std::uint32_t> next(operands.size(), 1U);
    for (std::size_t i = groups.size(); i > 0U; --i) {
        const Group& group = groups[i - 1U];
        plan.dims.at((front + i) - 1U) = group.size;
        for (std::size_t operand = 0U; operand < operands.size(); ++operand) {
            const bool repeated = ((group.repeated >> operand) & 1U) != 0U;
            plan.strides[operand].at((front + i) - 1U) = repeated ? 0U : next[operand];
            next[operand] *= repeated ? 1U : group.size;
        }
    }
    return plan;
}

}  // namespace pianola::tflite
