#include "capture_host/api/kernel_words.h"

#include <fmt/format.h>

#include "capture_host/api/host_error.h"
#include "hal/devices/refdev/command_encoding.h"
#include "pianola/config.h"

namespace pianola::host {

using refdev::header_word;
using refdev::Opcode;

std::uint32_t kernel_head_words() noexcept {
    return refdev::kDispatchHeadWords;
}

std::vector<std::uint32_t> kernel_command_words(const refdev::DeviceSpec& spec, const refdev::Kernel& kernel,
                                                CoreCoord core, const std::vector<std::uint32_t>& arguments,
                                                const std::string& site) {
    refdev::Footprint footprint;
    refdev::ArgumentError error;
    if (!is_ok(kernel.describe(WordSpan{arguments.data(), arguments.size()}, footprint, error))) {
        throw HostError{HostRule::kProgramArguments,
                        fmt::format("{}: the kernel does not accept {} = {} (argument word {})", site, error.field,
                                    arguments.at(error.word), error.word)};
    }
    if (footprint.cost_cycles > kMaxScriptCycles) {
        throw HostError{HostRule::kProgramArguments,
                        fmt::format("{}: takes {} cycles, {} are admitted; make it smaller", site,
                                    footprint.cost_cycles, kMaxScriptCycles)};
    }
    const auto length = static_cast<std::uint32_t>(kernel_head_words() + arguments.size());
    std::vector<std::uint32_t> words{header_word(Opcode::kDispatch, length), core_index(spec, core),
                                     static_cast<std::uint32_t>(kernel.id),
                                     static_cast<std::uint32_t>(footprint.cost_cycles)};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return words;
}

std::vector<std::uint32_t> barrier_words() {
    return {header_word(Opcode::kBarrier, 1U)};
}

std::uint32_t end_word() noexcept {
    return header_word(Opcode::kEnd, 1U);
}

}  // namespace pianola::host
