// The C++ source of a schema's rules.
#pragma once

#include <flatbuffers/reflection_generated.h>

#include <string>

namespace pianola::schemac {

// A translation unit that defines `const SchemaRules k<Root>Rules`, in the namespace of the schema's root table
// (runtime/image/schema_rules.h); `declaring_header` declares it. Throws std::runtime_error where the schema uses what
// the checks can not bound: recursion, nested buffers, lists of unions, lists without max_count, enumerations whose
// zero is not Unspecified, or what the tables have no room for.
[[nodiscard]] std::string rules_source(const reflection::Schema& schema, const std::string& declaring_header);

}  // namespace pianola::schemac
