// Self-tests as evidence: where the outputs of each vector come from, and by which digests others know them.
//
// What receipts and `pianola inspect` say of a binary's vectors. The origin is the manifest's word; digests are
// computed from the vectors themselves.
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

// Of every vector, in their order. Empty where the segment does not hold whole vectors, which the validator refuses.
[[nodiscard]] std::vector<SelfTest> self_tests_of(const Image& image);

// "captured" or "expected".
[[nodiscard]] const char* name_of(SelfTestOrigin origin) noexcept;

// A list of objects.
[[nodiscard]] nlohmann::json to_json(const std::vector<SelfTest>& tests);

}  // namespace pianola::evidence
