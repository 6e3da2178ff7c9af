// The semihosting call itself, one per architecture.
//
// Place in the whole: below hal/boards/common/semihosting.h, which makes operations out of it. Lies here because it is
// made of the architecture's own trap instruction. Stops the calling core until the host has answered.
#pragma once

#include <cstdint>

namespace pianola::semihosting {

// Returns what the host puts in the result register.
std::intptr_t call(std::uint32_t operation, const void* argument_block) noexcept;

}  // namespace pianola::semihosting
