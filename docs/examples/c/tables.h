// A port in C++ behind tables of C functions: as an accelerator's vendor would deliver one in C, for an application
// that observes or changes the calls. If it does neither, runtime/c/cpp_ports.h is enough.
#pragma once

#include "pianola/command_set.h"
#include "pianola/device.h"
#include "pianola/platform.h"
#include "pianola/signature.h"
#include "runtime/c/pianola.h"

namespace pianola::tables {

// The context of each is the address of an object: Device*, Platform*, const CommandSet*, const SignatureVerifier*.
[[nodiscard]] const pnl_device_ops_t& device() noexcept;
[[nodiscard]] const pnl_platform_ops_t& platform() noexcept;
[[nodiscard]] const pnl_command_set_ops_t& command_set() noexcept;
[[nodiscard]] const pnl_verifier_ops_t& verifier() noexcept;

}  // namespace pianola::tables
