// Ports and the C API: conversion of a C++ port object to a C object, and of an object made by pnl_<interface>_init()
// to a C++ object.
//
// as_c() is for an application in C whose accelerator port is in C++: it makes the objects in C++ and puts their
// addresses into a pnl_session_config_t. as_cpp() is for code that takes ports in C++, such as the conformance kit.
// Neither has a cost at run time.
#pragma once

#include "pianola.h"
#include "pianola/command_set.h"
#include "pianola/device.h"
#include "pianola/digest_engine.h"
#include "pianola/platform.h"
#include "pianola/signature.h"

namespace pianola::c_api {

// Never null; valid as long as the object.
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

// The argument must have been initialised by pnl_<interface>_init() or come from as_c().
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
