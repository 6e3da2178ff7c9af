// Samples of the reference device's commands, for the conformance kit on the simulator and on boards.
#pragma once

#include <array>
#include <cstdint>

#include "hal/devices/refdev/command_encoding.h"
#include "hal/devices/refdev/shared_state.h"
#include "hal/port_kit/port.h"
#include "pianola/span.h"

namespace pianola::port {

// PortUnderTest::sample() of every port of the reference device.
std::uint32_t refdev_sample(void* context, std::uint32_t index, std::uint32_t base, Span<std::uint32_t> words) noexcept;

// PortUnderTest::damage() of every port of the reference device.
bool damage_refdev(refdev::SharedState& shared, Damage damage, std::uint32_t index) noexcept;

inline constexpr std::array<std::uint32_t, 1U> kRefdevEnd{refdev::header_word(refdev::Opcode::kEnd, 1U)};
// The digest of a trace is over headers, kernels and cores: arguments are compared in memory.
inline constexpr std::array<const char*, 1U> kRefdevNotOffered{"PORT-DIGEST-ARGUMENTS"};

}  // namespace pianola::port
