// StepPage: the parts of the page that show one step: its critical path against the deadline, what operators cost, and
// how long memory is needed.
//
// html.cpp puts them into its page. All markup; every picture has its table.
#pragma once

#include <string>

#include "capture_host/timeline/picture.h"

namespace pianola::timeline {

[[nodiscard]] std::string path_section(const Picture& picture);
[[nodiscard]] std::string cost_section(const Picture& picture);
[[nodiscard]] std::string memory_section(const Picture& picture);

}  // namespace pianola::timeline
