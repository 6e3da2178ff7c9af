// Bytes and fields of files, and statuses of the runtime, as text.
//
// Shared by messages, reports and receipts of host tools.
#pragma once

#include <string>

#include "pianola/span.h"
#include "pianola/status.h"
#include "pianola/verdict.h"

namespace pianola::files {

// A printable name: UTF-8 without control characters, whatever the bytes in the file system; the rest is replaced.
[[nodiscard]] std::string readable(const std::string& name);
[[nodiscard]] std::string to_hex(ByteSpan bytes);            // lower case
[[nodiscard]] std::string path_text(const FieldPath& path);  // "scripts[1].commands[2].trace"

}  // namespace pianola::files

namespace pianola::capture {

// The name of the enumerator, such as "kBusy", with static lifetime; "no status" for an unknown value.
[[nodiscard]] const char* status_name(Status status) noexcept;

}  // namespace pianola::capture
