// Bytes and fields of files as text.
//
// Shared by messages, reports and receipts of host tools.
#pragma once

#include <string>

#include "pianola/span.h"
#include "pianola/verdict.h"

namespace pianola::files {

// A printable name: UTF-8 without control characters, whatever the bytes in the file system; the rest is replaced.
[[nodiscard]] std::string readable(const std::string& name);
[[nodiscard]] std::string to_hex(ByteSpan bytes);            // lower case
[[nodiscard]] std::string path_text(const FieldPath& path);  // "scripts[1].commands[2].trace"

}  // namespace pianola::files
