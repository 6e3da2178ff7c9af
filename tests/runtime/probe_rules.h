// The rules that schemac makes from the probe schema.
//
// What runtime/image/schema_rules.h declares for the manifest.
#pragma once

#include "runtime/image/schema_rules.h"

namespace pianola::probe {

extern const SchemaRules kProbeRules;

}  // namespace pianola::probe
