// Self-tests as evidence: the origin of each vector's outputs, and its digests.
//
// Receipts and `pianola inspect` report them. The origin is declared by the manifest; digests are computed from the
// vectors.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "pianola/image.h"

namespace pianola::evidence {

struct SelfTest {
    SelfTestOrigin origin{SelfTestOrigin::kUnspecified};
    Sha256Digest inputs{};  // of all inputs, one after another, as in a file of `pianola capture --expect`
    Sha256Digest outputs{};
};

// One entry for every vector, in order. Empty if the segment does not hold whole vectors, which the validator refuses.
[[nodiscard]] std::vector<SelfTest> self_tests_of(const Image& image);

// "captured" or "expected".
[[nodiscard]] const char* name_of(SelfTestOrigin origin) noexcept;

// A list of objects.
[[nodiscard]] nlohmann::json to_json(const std::vector<SelfTest>& tests);

}  // namespace pianola::evidence
