// What a fuzzer is made of: a harness, which every fuzzer brings, and a driver, of which there are two.
//
// libfuzzer_driver.cpp is for libFuzzer, which looks for inputs that reach new code; replay_driver.cpp needs no
// instrumentation and works with every compiler: it runs given files, and seeded mutants of them. A harness throws
// test::PromiseBroken where something that must hold does not; what is worse, sanitizers see.
#pragma once

#include <cstdint>
#include <vector>

#include "pianola/span.h"
#include "tests/support/random.h"

namespace pianola::fuzz {

using Bytes = std::vector<std::uint8_t>;

// --- The harness ---

// Looks at one input, of any size and contents. Keeps nothing from one call to the next that a result depends on.
void run_one(ByteSpan input);

// Changes an input so that it stays one that gets far, with the help of mutate_bytes(). May make it longer than
// max_bytes: the driver cuts it. The result is a function of input and random, and of what mutate_bytes() does.
void mutate(Bytes& input, std::size_t max_bytes, test::Random& random);

// --- The driver ---

// Changes bytes without knowing what they mean, to at most max_bytes, which is not 0.
void mutate_bytes(Bytes& bytes, std::size_t max_bytes, test::Random& random);

}  // namespace pianola::fuzz
