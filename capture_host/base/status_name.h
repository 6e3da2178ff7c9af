// The name of a status, as the runtime's pages write it.
//
// Used in messages of host tools about a replay that stopped.
#pragma once

#include "pianola/status.h"

namespace pianola::capture {

// Static lifetime; "no status" for an unknown value.
[[nodiscard]] const char* status_name(Status status) noexcept;

}  // namespace pianola::capture
