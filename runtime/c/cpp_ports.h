// Ports and the C API: an object of a port in C++ as one of C, and one that pnl_<interface>_init() has made, as one of
// C++.
//
// Place in the whole: the first for the glue of an application in C whose accelerator's port is in C++, a few lines
// that make the objects, whose addresses then stand in a pnl_session_config_t; the second for what takes ports in C++,
// such as the conformance kit. Neither costs anything at run time.
#pragma once

#include "pianola.h"
#include "pianola/command_set.h"
#include "pianola/device.h"
#include "pianola/digest_engine.h"
#include "pianola/platform.h"
#include "pianola/signature.h"

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

// Of what has been initialised, or came from as_c(): nothing else may be handed over.
[[nodiscard]] inline Device& as_cpp(pnl_device_t& device) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-052
    return *reinterpret_cast<Device*>(&device);
}
[[nodiscard]] inline Platform& as_cpp(pnl_platform_t& platform) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-052
    return *reinterpret_cast<Platform*>(&platform);
}
[[nodiscard]] inline const CommandSet& as_cpp(const pnl_command_set_t& command_set) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-052
    return *reinterpret_cast<const CommandSet*>(&command_set);
}

}  // namespace pianola::c_api
