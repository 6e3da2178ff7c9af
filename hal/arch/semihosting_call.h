// The semihosting call itself, one per architecture.
//
// It is here because it uses the architecture's trap instruction. Stops the calling core until the host has answered.
#pragma once

#include <cstdint>

namespace pianola::semihosting {

// Returns the host's result register.
std::intptr_t call(std::uint32_t operation, const void* argument_block) noexcept;

}  // namespace pianola::semihosting
