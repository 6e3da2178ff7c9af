// --dispatch-ns and --replay-ns: what the host's part of a step is assumed to take.
//
// `pianola timeline` and `pianola perf` share them: both use one model of the host.
#pragma once

#include <CLI/ConfigFwd.hpp>

#include "pianola_host/host_cost.h"

namespace pianola::cli {

void add_host_cost_options(CLI::App& command, HostCost& cost);

}  // namespace pianola::cli
