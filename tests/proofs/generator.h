// Generator: small cases of every kind, right ones and wrong ones, the same in every run.
//
// Most cases keep the rules that have nothing to do with order, so that order is what decides.
#pragma once

#include "tests/proofs/small_case.h"
#include "tests/support/random.h"

namespace pianola::test {

enum class Origin {
    kPattern,   // a pattern that users are taught, on random memory, with up to three changes
    kOrdered,   // commands on any queues; records and waits where two of them touch the same bytes, but some forgotten
    kTurns,     // records and waits that take turns at random places
    kArbitrary  // records and waits anywhere
};

[[nodiscard]] SmallCase random_case(Random& random, Origin origin);

}  // namespace pianola::test
