// What a capture throws, as complaints about the model.
#pragma once

#include <functional>
#include <string>

#include "capture_host/capture/capture.h"

namespace pianola::cli {

// The option of `capture` that sets this member of a device description.
[[nodiscard]] const char* size_option(const std::string& member);

// Calls capture(), which imports and captures the model of that name. Throws CliError in place of what the importer and
// the capture throw.
[[nodiscard]] capture::Capture capture_or_complain(const std::string& model,
                                                   const std::function<capture::Capture()>& capture);

}  // namespace pianola::cli
