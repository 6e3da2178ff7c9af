// Replaces plan/cores.cpp in a runtime without dispatch to single cores. A trace with a dispatch is refused as by a
// device that has none.
#include "runtime/plan/cores.h"

namespace pianola::proof {

void Cores::join(std::uint64_t& /*cycles*/) noexcept {}

bool Cores::dispatch(const ExtentCheck& check, std::uint64_t /*cycles*/) noexcept {
    return refuse_word(context_, 1U, Rule::kTrcArgument, "core", check.command.decoded.core, 0U);
}

}  // namespace pianola::proof
