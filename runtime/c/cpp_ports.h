// Ports in C++ for applications in C: an object of C++ in the place of one that pnl_<interface>_init() makes.
//
// Place in the whole: for the glue of an application in C whose accelerator's port is in C++. A few lines of C++ make
// the objects; their addresses as objects of C go into a pnl_session_config_t. It costs nothing at run time.
#pragma once

#include "pianola/command_set.h"
#include "pianola/device.h"
#include "pianola/digest_engine.h"
#include "pianola/platform.h"
#include "pianola/signature.h"
#include "runtime/c/pianola.h"

namespace pianola::c_api {

// Never null; of the object's own life.
[[nodiscard]] inline pnl_device_t* as_c(Device& device) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-052
    return reinterpret_cast<pnl_device_t*>(&device);
}
[[nodiscard]] inline pnl_platform_t* as_c(Platform& platform) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-052
    return reinterpret_cast<pnl_platform_t*>(&platform);
}
[[nodiscard]] inline const pnl_command_set_t* as_c(const CommandSet& command_set) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-052
    return reinterpret_cast<const pnl_command_set_t*>(&command_set);
}
[[nodiscard]] inline const pnl_verifier_t* as_c(const SignatureVerifier& verifier) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-052
    return reinterpret_cast<const pnl_verifier_t*>(&verifier);
}
[[nodiscard]] inline pnl_digest_engine_t* as_c(DigestEngine& engine) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-052
    return reinterpret_cast<pnl_digest_engine_t*>(&engine);
}

}  // namespace pianola::c_api
