// The rules of the manifest's schema. Defined in the source that schemac makes from it.
//
// open_image() passes them to the checks of schema_check.h.
#pragma once

#include "runtime/image/schema_rules.h"

namespace pianola::schema {

extern const SchemaRules kTraceBinaryRules;

}  // namespace pianola::schema
