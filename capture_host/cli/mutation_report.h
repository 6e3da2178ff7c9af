// The report of a mutation, as text.
#pragma once

#include "capture_host/mutate/report.h"

namespace pianola::cli {

// Rules that were looked at, mutants whose verdict was not the expected one, and totals.
void print_report(const mutate::Json& report);

}  // namespace pianola::cli
