#include "hal/devices/refdev/kernels/launch_check.h"

#include "hal/devices/refdev/kernels/device_memory.h"

namespace pianola::refdev {
namespace {

[[nodiscard]] bool share_bytes(const Extent& left, const Extent& right) noexcept {
    const std::uint32_t left_from_right = left.address - right.address;  // wraps to a large value if left is first
    const std::uint32_t right_from_left = right.address - left.address;
    return (left_from_right < right.size_bytes) || (right_from_left < left.size_bytes);
}

[[nodiscard]] bool same_bytes(const Extent& left, const Extent& right) noexcept {
    return (left.address == right.address) && (left.size_bytes == right.size_bytes);
}

}  // namespace

bool LaunchCheck::refuse(std::uint32_t word) noexcept {
    error_ = ArgumentError{rules_[word].field, word};
    return false;
}

bool LaunchCheck::words_accepted() noexcept {
    if (words_.size() != rules_.size()) {
        error_ = ArgumentError{};
        return false;
    }
    const std::uint32_t count = static_cast<std::uint32_t>(rules_.size());
    for (std::uint32_t word = 0U; word < count; ++word) {
        const ArgumentRule& rule = rules_[word];
        if ((words_[word] - rule.lowest) > rule.span) {
            return refuse(word);
        }
    }
    return true;
}

bool LaunchCheck::operand(std::uint32_t address_word, std::uint64_t size_bytes, Access access) noexcept {
    const bool published = (size_bytes <= kMaxOperandBytes) &&
                           extents_.add(words_[address_word], size_bytes, access, rules_[address_word].field);
    return require(published, address_word);
}

bool LaunchCheck::output_placed(std::uint32_t address_word, Placement placement) noexcept {
    const Span<const Extent> extents = extents_.view();
    const std::size_t last = extents.size() - 1U;
    const Extent& output = extents[last];
    for (std::size_t i = 0U; i < last; ++i) {
        const bool in_place = (placement == Placement::kApartOrInPlace) && same_bytes(extents[i], output);
        if (!in_place && share_bytes(extents[i], output)) {
            return refuse(address_word);
        }
    }
    return true;
}

bool LaunchCheck::output_follows(const Lead& lead) const noexcept {
    const Span<const Extent> extents = extents_.view();
    const std::size_t last = extents.size() - 1U;
    const Extent& output = extents[last];
    const std::uint32_t distance = extents[0U].address - output.address;
    bool follows =
        (output.address <= extents[0U].address) && (distance >= lead.bytes) && ((distance % lead.unit_bytes) == 0U);
    for (std::size_t i = 1U; i < last; ++i) {
        follows = follows && !share_bytes(extents[i], output);
    }
    return follows;
}

Status LaunchCheck::finish(bool accepted) noexcept {
    if (!accepted) {
        extents_.clear();
        return Status::kRefused;
    }
    return Status::kOk;
}

namespace {

[[nodiscard]] Status bind(const ExtentList& extents, const DeviceMemory& memory, BoundOperands& bound) noexcept {
    std::uint32_t inputs = 0U;
    for (const Extent& extent : extents.view()) {
        if (extent.access == Access::kWrite) {
            bound.state = bound.output;
            bound.output = tensor_of(memory.writable(extent.address, extent.size_bytes));
            if (bound.output == nullptr) {
                return Status::kDeviceFault;
            }
        } else {
            if (inputs >= kMaxReadOperands) {
                return Status::kInternal;
            }
            bound.inputs[inputs] = tensor_of(memory.readable(extent.address, extent.size_bytes));
            if (bound.inputs[inputs] == nullptr) {
                return Status::kDeviceFault;
            }
            inputs += 1U;
        }
    }
    return Status::kOk;
}

// Separate from run(), so that the extents are not on the stack while a kernel runs.
[[nodiscard, gnu::noinline]] Status describe_and_bind(const Kernel& kernel, WordSpan arguments,
                                                      const DeviceMemory& memory, BoundOperands& bound) noexcept {
    ExtentList extents;
    ArgumentError error;
    const Status described = kernel.describe(arguments, extents, error);
    return is_ok(described) ? bind(extents, memory, bound) : described;
}

}  // namespace

Status run(const Kernel& kernel, WordSpan arguments, const DeviceMemory& memory) noexcept {
    BoundOperands bound;
    const Status status = describe_and_bind(kernel, arguments, memory, bound);
    return is_ok(status) ? kernel.compute(arguments, bound) : status;
}

}  // namespace pianola::refdev
