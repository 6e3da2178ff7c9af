#include "capture_host/host/program/kernel_words.h"

#include <fmt/format.h>

#include "hal/devices/refdev/command_encoding.h"
#include "hal/devices/refdev/host/command_words.h"
#include "pianola/config.h"
#include "pianola_host/host_error.h"

namespace pianola::host {

std::uint32_t kernel_head_words() noexcept {
    return refdev::kDispatchHeadWords;
}

std::uint32_t kernel_head_words(const DecodedCommand& command) noexcept {
    if (command.kernel_id == 0U) {
        return 0U;
    }
    return (command.kind == CommandKind::kDispatch) ? refdev::kDispatchHeadWords : refdev::kLaunchHeadWords;
}

std::vector<std::uint32_t> kernel_command_words(const DeviceDescription& spec, const refdev::Kernel& kernel,
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
    return refdev::dispatch_words(core_index(spec, core), kernel.id, arguments);
}

}  // namespace pianola::host
