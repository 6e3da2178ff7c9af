// The canonical text of a schema's meaning: what the schema hash is computed over.
#pragma once

#include <flatbuffers/reflection_generated.h>

#include <string>

namespace pianola::schemac {

// One line per enumeration, enumerator, object and field, sorted by name and id. Two schemas have the same text exactly
// where files of one mean the same when read with the other. Throws std::runtime_error on what the manifest must not
// use.
[[nodiscard]] std::string canonical_text(const reflection::Schema& schema);

}  // namespace pianola::schemac
