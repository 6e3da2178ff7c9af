// Schema checks: a FlatBuffer against the rules that schemac made from its schema.
//
// open_image() uses both. check_structure() runs FlatBuffers' own verifier on every field, as flatc's Verify()
// functions do, but driven by tables. check_strictness() then refuses what that verifier accepts: unknown enumerators,
// union types and truth values, lists over their capacity, names that are empty, too long or not printable.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include "pianola/verdict.h"
#include "runtime/image/schema_rules.h"

namespace pianola {

// True if the buffer's verifier accepts the identifier and every field, and every required field is present. Sets
// `tables` to the number of tables that it visited, including the one that it refused.
[[nodiscard]] bool check_structure(const SchemaRules& rules, ByteSpan buffer, const char* identifier,
                                   flatbuffers::Verifier& verifier, std::uint32_t& tables) noexcept;

// True if every value is strict; otherwise the verdict is filled in. check_structure() must have accepted the root.
// `file` is the whole trace binary: offsets in verdicts count from its first byte.
[[nodiscard]] bool check_strictness(const SchemaRules& rules, ByteSpan file, const flatbuffers::Table& root,
                                    Verdict& verdict) noexcept;

}  // namespace pianola
