// The name of a status, as the runtime's pages write it.
//
// For messages of host tools about a replay that stopped.
#pragma once

#include "pianola/status.h"

namespace pianola::capture {

// Static lifetime; "no status" for a value that is none.
[[nodiscard]] const char* status_name(Status status) noexcept;

}  // namespace pianola::capture
