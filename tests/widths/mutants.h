// Mutants whose damage is in the structure: offsets, vtables and lengths near 2^31 and 2^32, with a right digest.
//
// The n-th mutant of a seed and of its subjects is the same everywhere, in 32 bits too.
#pragma once

#include <string>
#include <vector>

#include "tests/support/random.h"
#include "tests/widths/links.h"

namespace pianola::test {

// A buffer that is damaged: the manifest of a trace binary, or a buffer of the probe schema.
struct Subject {
    std::string name;
    const SchemaRules* rules{nullptr};
    Bytes file;    // the trace binary; empty where there is none
    Bytes buffer;  // of the schema
    Links links;
};

// Of a trace binary that is accepted. Throws std::out_of_range where the file is too short to be one.
[[nodiscard]] Subject manifest_subject(std::string name, Bytes file);
[[nodiscard]] Subject probe_subject();

// The file with another manifest, and the digest that it must carry. A buffer without a file is returned as it is.
[[nodiscard]] Bytes file_with(const Subject& subject, const Bytes& buffer);

[[nodiscard]] Bytes make_mutant(const Subject& subject, Random& random);

}  // namespace pianola::test
