// The C++ source of the strictness check of a schema.
#pragma once

#include <flatbuffers/reflection_generated.h>

#include <string>

namespace pianola::schemac {

// What the source includes, as it is written in the directive.
struct StrictnessHeaders {
    std::string generated;  // flatc's
    std::string declaring;  // declares check_strictness() for the root table
};

// A translation unit that defines `bool check_strictness(StrictnessWalk&, const Root&)` for the schema's root table
// (runtime/image/strictness.h). Throws std::runtime_error where the schema uses what the check can not bound: recursion, nested
// buffers, lists of unions, 64-bit offsets, lists without max_count, enumerations whose zero is not Unspecified.
[[nodiscard]] std::string strictness_source(const reflection::Schema& schema, const StrictnessHeaders& headers);

}  // namespace pianola::schemac
