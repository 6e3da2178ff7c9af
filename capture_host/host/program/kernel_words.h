// The device commands that programs are made of.
//
// The one place of the host API that writes command words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hal/devices/refdev/kernels/kernel.h"
#include "pianola_host/geometry.h"

namespace pianola::host {

// Words before the arguments of a kernel's command.
[[nodiscard]] std::uint32_t kernel_head_words() noexcept;
// The same of a command of a trace; 0 where it runs no kernel.
[[nodiscard]] std::uint32_t kernel_head_words(const DecodedCommand& command) noexcept;
// One kernel on one core. Throws API-PROGRAM-ARGUMENTS, which names `site` and the argument, where the kernel does not
// accept them.
[[nodiscard]] std::vector<std::uint32_t> kernel_command_words(const DeviceDescription& spec,
                                                              const refdev::Kernel& kernel, CoreCoord core,
                                                              const std::vector<std::uint32_t>& arguments,
                                                              const std::string& site);

}  // namespace pianola::host
