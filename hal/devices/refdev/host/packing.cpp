#include "hal/devices/refdev/host/packing.h"

#include <cstddef>

#include "hal/devices/refdev/command_encoding.h"
#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/kernel.h"

namespace pianola::refdev {
namespace {

// The kernel's id is the second-last word of a head, and the arguments follow the head.
std::uint32_t head_words_of(std::uint32_t header) noexcept {
    switch (static_cast<Opcode>(header & kOpcodeMask)) {
        case Opcode::kLaunch:
            return kLaunchHeadWords;
        case Opcode::kDispatch:
            return kDispatchHeadWords;
        default:
            return 0U;
    }
}

WeightsLayout weights_layout_of(WordSpan command) noexcept {
    const std::uint32_t head = command.empty() ? 0U : head_words_of(command[0]);
    if ((head == 0U) || (command.size() < head)) {
        return WeightsLayout::kPlain;
    }
    std::size_t word = 0U;
    switch (static_cast<KernelId>(command[head - 2U])) {
        case KernelId::kFullyConnected:
            word = head + word_of(offsetof(FullyConnectedArguments, weights_layout));
            break;
        case KernelId::kConv2d:
            word = head + word_of(offsetof(Conv2dArguments, weights_layout));
            break;
        default:
            return WeightsLayout::kPlain;
    }
    return (word < command.size()) ? static_cast<WeightsLayout>(command[word]) : WeightsLayout::kPlain;
}

}  // namespace

std::string packed_for(WordSpan command) {
    switch (weights_layout_of(command)) {
        case WeightsLayout::kDsp:
            return "dsp";
        case WeightsLayout::kMve:
            return "mve";
        case WeightsLayout::kPlain:
        default:
            return {};
    }
}

}  // namespace pianola::refdev
