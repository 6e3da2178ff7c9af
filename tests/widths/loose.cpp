// Follows every offset, as FlatBuffers' own accessors do: linked in place of verified_target() into a program that the
// comparison has to find different. Calls inside of structure.cpp keep the real one, which leaves lists of tables.
#include "runtime/image/table_cursor.h"

// The linker gives the runtime's own function this name (--wrap).
// NOLINTBEGIN(clang-diagnostic-reserved-identifier, readability-identifier-naming): DEV-032
extern "C" const void* __wrap__ZN7pianola15verified_targetERKN11flatbuffers8VerifierEPKht(
    const flatbuffers::Verifier& verifier, const std::uint8_t* base, flatbuffers::voffset_t place);

const void* __wrap__ZN7pianola15verified_targetERKN11flatbuffers8VerifierEPKht(
    const flatbuffers::Verifier& /*verifier*/, const std::uint8_t* base, flatbuffers::voffset_t place) {
    return pianola::follow(base + place);
}
// NOLINTEND(clang-diagnostic-reserved-identifier, readability-identifier-naming): DEV-032
