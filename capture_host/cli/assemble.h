// Assemble: an object file from assembler text, by a compiler that the user names.
//
// Place in the whole: `embed --format object`. What flags an object needs for its ABI only the target's own compiler
// knows, so that it is called rather than imitated. Host only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pianola/span.h"

namespace pianola::cli {

// Name under which the assembler text includes the binary.
inline constexpr const char* kIncludedName = "binary.ptb";

// Runs `compiler flags... -c -x assembler` on the text, in which `.incbin "binary.ptb"` gives `binary`, and returns the
// object. No shell is involved. What the compiler says goes to standard error. Throws CliError.
[[nodiscard]] std::vector<std::uint8_t> assemble(const std::string& compiler, const std::vector<std::string>& flags,
                                                 const std::string& text, ByteSpan binary);

}  // namespace pianola::cli
