// The device commands that programs are made of.
//
// Place in the whole: the one place of the host API that writes command words. Internal to it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "capture_host/api/geometry.h"
#include "hal/kernels/kernel.h"

namespace pianola::host {

// Words before the arguments of a kernel's command.
[[nodiscard]] std::uint32_t kernel_head_words() noexcept;
// One kernel on one core. Throws API-PROGRAM-ARGUMENTS, which names `site` and the argument, where the kernel does not
// accept them.
[[nodiscard]] std::vector<std::uint32_t> kernel_command_words(const refdev::DeviceSpec& spec,
                                                              const refdev::Kernel& kernel, CoreCoord core,
                                                              const std::vector<std::uint32_t>& arguments,
                                                              const std::string& site);
[[nodiscard]] std::vector<std::uint32_t> barrier_words();
[[nodiscard]] std::uint32_t end_word() noexcept;

}  // namespace pianola::host
