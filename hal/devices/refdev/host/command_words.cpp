#include "hal/devices/refdev/host/command_words.h"

#include <stdexcept>

#include "hal/devices/refdev/command_encoding.h"

namespace pianola::refdev {
namespace {

std::uint32_t cost_of(const CostModel& costs, KernelId id, const Words& arguments) {
    const Kernel* const kernel = find_kernel(static_cast<std::uint32_t>(id));
    ExtentList extents;
    const WordSpan words{arguments.data(), arguments.size()};
    ArgumentError error;
    if ((kernel == nullptr) || (arguments.size() != kernel->argument_words) ||
        !is_ok(kernel->describe(words, extents, error))) {
        throw std::invalid_argument{"the kernel does not accept these arguments"};
    }
    return static_cast<std::uint32_t>(launch_cost(costs, *kernel, words, extents));
}

}  // namespace

Words fill_words(std::uint32_t address, std::uint32_t size_bytes, std::uint32_t value) {
    return {header_word(Opcode::kFill, kFillWords), address, size_bytes, value};
}

Words copy_words(std::uint32_t destination, std::uint32_t source, std::uint32_t size_bytes) {
    return {header_word(Opcode::kCopy, kCopyWords), destination, source, size_bytes};
}

Words barrier_words() {
    return {header_word(Opcode::kBarrier, 1U)};
}

Words end_words() {
    return {header_word(Opcode::kEnd, 1U)};
}

Words launch_words(KernelId kernel, const Words& arguments, const CostModel& costs) {
    const auto length = static_cast<std::uint32_t>(kLaunchHeadWords + arguments.size());
    Words words{header_word(Opcode::kLaunch, length), static_cast<std::uint32_t>(kernel),
                cost_of(costs, kernel, arguments)};
    append(words, arguments);
    return words;
}

Words dispatch_words(std::uint32_t core, KernelId kernel, const Words& arguments, const CostModel& costs) {
    const auto length = static_cast<std::uint32_t>(kDispatchHeadWords + arguments.size());
    Words words{header_word(Opcode::kDispatch, length), core, static_cast<std::uint32_t>(kernel),
                cost_of(costs, kernel, arguments)};
    append(words, arguments);
    return words;
}

}  // namespace pianola::refdev
