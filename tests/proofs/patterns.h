// Patterns: the ways to use two queues that users are taught, and what tests do to them.
//
// Queue 0 computes. Every function gives scripts that are right as they are.
#pragma once

#include <cstdint>

#include "pianola_host/manifest.h"
#include "tests/proofs/small_case.h"

namespace pianola::test {

[[nodiscard]] capture::ManifestCommand write_input(std::uint32_t queue, std::uint32_t input);
[[nodiscard]] capture::ManifestCommand replay(std::uint32_t queue, std::uint32_t trace);
[[nodiscard]] capture::ManifestCommand read_output(std::uint32_t queue, std::uint32_t output);
[[nodiscard]] capture::ManifestCommand record(std::uint32_t queue, std::uint32_t event);
[[nodiscard]] capture::ManifestCommand wait(std::uint32_t queue, std::uint32_t event);

// Memory and traces for any number of traces from 1 on: only the first touches inputs, only the last touches outputs.
[[nodiscard]] SmallCase plain_memory(std::uint32_t inputs, std::uint32_t outputs, std::uint32_t traces);

// The pattern's scripts for a case that has memory and traces.
void script_one_queue(SmallCase& small);
// Queue 1 writes inputs, while queue 0 is still busy with what comes behind the first trace. Events: 0 the inputs have
// been consumed, 1 they have been written.
void script_pattern_one(SmallCase& small);
// Queue 1 writes inputs and reads outputs; the next inputs are written before the outputs are read, which takes a
// prologue and an epilogue. Events: 0 the inputs have been consumed, 1 written; 2 the outputs have been computed, 3
// read.
void script_pattern_two(SmallCase& small);

}  // namespace pianola::test
