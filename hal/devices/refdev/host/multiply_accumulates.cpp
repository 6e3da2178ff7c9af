#include "hal/devices/refdev/host/multiply_accumulates.h"

#include "hal/devices/refdev/command_encoding.h"
#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/kernel.h"

namespace pianola::refdev {
namespace {

constexpr std::uint32_t kGates = 4U;  // of a long short-term memory

template <typename... Numbers>
constexpr std::uint64_t product(Numbers... numbers) noexcept {
    return (std::uint64_t{1U} * ... * numbers);
}

std::uint64_t operations(const FullyConnectedArguments& a) noexcept {
    return product(a.batches, a.input_depth, a.output_depth);
}
std::uint64_t operations(const Conv2dArguments& a) noexcept {
    return product(a.batches, a.output_height, a.output_width, a.output_channels, a.filter_height, a.filter_width,
                   a.filter_channels);
}
std::uint64_t operations(const DepthwiseConv2dArguments& a) noexcept {
    return product(a.batches, a.output_height, a.output_width, a.input_channels, a.depth_multiplier, a.filter_height,
                   a.filter_width);
}
std::uint64_t operations(const MatmulArguments& a) noexcept {
    return product(a.m, a.k, a.n);
}
std::uint64_t operations(const MatmulInt16Arguments& a) noexcept {
    return product(a.rows, a.depth, a.columns);
}
std::uint64_t operations(const SvdfFeatureArguments& a) noexcept {
    return product(a.batches, a.filters, a.input_depth);
}
std::uint64_t operations(const SvdfTimeArguments& a) noexcept {
    return product(a.batches, a.units, a.rank, a.length);
}
std::uint64_t operations(const LstmArguments& a) noexcept {
    return product(a.batches, a.steps, kGates, a.units) * (std::uint64_t{a.input_depth} + a.units);
}

template <typename Layer>
std::uint64_t operations(const Int16Layer<Layer>& a) noexcept {
    return operations(a.layer);
}

template <typename Arguments>
std::uint64_t operations_of(WordSpan words) noexcept {
    return (words.size() < kArgumentWords<Arguments>) ? 0U : operations(arguments_from_words<Arguments>(words));
}

}  // namespace

std::uint64_t multiply_accumulates(WordSpan command) noexcept {
    const auto opcode = command.empty() ? Opcode::kInvalid : static_cast<Opcode>(command[0] & kOpcodeMask);
    const std::size_t head = (opcode == Opcode::kDispatch) ? kDispatchHeadWords : kLaunchHeadWords;
    if (((opcode != Opcode::kLaunch) && (opcode != Opcode::kDispatch)) || (command.size() < head)) {
        return 0U;
    }
    const WordSpan words = command.subspan(head, command.size() - head);
    switch (static_cast<KernelId>(command[head - 2U])) {
        case KernelId::kFullyConnected:
            return operations_of<FullyConnectedArguments>(words);
        case KernelId::kFullyConnectedInt16:
            return operations_of<FullyConnectedInt16Arguments>(words);
        case KernelId::kConv2d:
            return operations_of<Conv2dArguments>(words);
        case KernelId::kConv2dInt16:
            return operations_of<Conv2dInt16Arguments>(words);
        case KernelId::kDepthwiseConv2d:
            return operations_of<DepthwiseConv2dArguments>(words);
        case KernelId::kDepthwiseConv2dInt16:
            return operations_of<DepthwiseConv2dInt16Arguments>(words);
        case KernelId::kMatmul:
            return operations_of<MatmulArguments>(words);
        case KernelId::kMatmulInt16:
            return operations_of<MatmulInt16Arguments>(words);
        case KernelId::kSvdfFeature:
            return operations_of<SvdfFeatureArguments>(words);
        case KernelId::kSvdfTime:
            return operations_of<SvdfTimeArguments>(words);
        case KernelId::kLstm:
            return operations_of<LstmArguments>(words);
        default:
            return 0U;
    }
}

}  // namespace pianola::refdev
