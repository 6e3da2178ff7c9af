// Semihosting: communication of a board under an emulator or debugger with the host.
//
// Reports and exit codes of example and test applications; never used by the runtime. Operation numbers and argument
// blocks: "Semihosting for AArch32 and AArch64", Arm, release 2.0; RISC-V uses the same (RISC-V semihosting
// specification 1.0). The call itself is hal/arch/semihosting_call.h. Each call stops the calling core until the host
// has answered.
#pragma once

#include <cstdint>

#include "hal/arch/semihosting_call.h"
#include "pianola/span.h"

namespace pianola::semihosting {

// Writes zero-terminated text to the host's console.
void print(const char* text) noexcept;
void print_number(std::uint64_t number) noexcept;
void print_hex(std::uint64_t number) noexcept;

// Input from the host's console, by the file ":tt": QEMU 7.2 answers SYS_READC with the character before the last one.
class ConsoleInput {
  public:
    // False if the host has none.
    [[nodiscard]] bool open() noexcept;
    // Stops the calling core until there is a character. False at the end of the input.
    [[nodiscard]] bool read(char& character) noexcept;

  private:
    std::intptr_t handle_{-1};
};

// The command line from the host, zero-terminated. False if it does not fit or there is none.
[[nodiscard]] bool command_line(Span<char> text) noexcept;

// Reads a whole host file into `memory`. Returns bytes read, or a negative number if the file cannot be read or does
// not fit.
[[nodiscard]] std::int32_t load_file(const char* file_name, MutableByteSpan memory) noexcept;
// Writes a whole host file from `memory`. False if it cannot be written.
[[nodiscard]] bool store_file(const char* file_name, ByteSpan memory) noexcept;

// Ends the emulation with an exit code.
[[noreturn]] void exit(std::int32_t code) noexcept;

}  // namespace pianola::semihosting
