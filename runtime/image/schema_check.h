// Schema checks: a FlatBuffer against the rules that schemac made from its schema.
//
// Place in the whole: what open_image() proves. check_structure() has FlatBuffers' own verifier look at every field, as
// the Verify() functions that flatc makes would, but from tables. check_strictness() then refuses what that verifier
// lets pass: unknown enumerators, union types and truth values, lists over their capacity, names that are empty, too
// long or not printable.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include "pianola/verdict.h"
#include "runtime/image/schema_rules.h"

namespace pianola {

// True where the verifier, which is one for the buffer, accepts the identifier and every field, and every required
// field is there. `tables` becomes the number of those that it was shown, the one that it did not take included.
[[nodiscard]] bool check_structure(const SchemaRules& rules, ByteSpan buffer, const char* identifier,
                                   flatbuffers::Verifier& verifier, std::uint32_t& tables) noexcept;

// True where every value is strict; else the verdict is filled in. check_structure() has accepted the root. `file` is
// the whole trace binary: offsets in verdicts count from its first byte.
[[nodiscard]] bool check_strictness(const SchemaRules& rules, ByteSpan file, const flatbuffers::Table& root,
                                    Verdict& verdict) noexcept;

}  // namespace pianola
