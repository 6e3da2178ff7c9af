// Mutator: makes hostile files whose digest is right, so that everything behind the digest is reached.
//
// The n-th mutant of a seed is the same everywhere.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/hostile/subject.h"
#include "tests/support/random.h"

namespace pianola::test {

class Mutator {
  public:
    // The subject must outlive the mutator.
    explicit Mutator(const Subject& subject) : subject_{subject} {}

    // Writes a mutant to `file`, which may hold anything before.
    void make(Random& random, std::vector<std::uint8_t>& file);

  private:
    void damage_bytes(Random& random, std::vector<std::uint8_t>& file) const;
    void damage_header(Random& random, std::vector<std::uint8_t>& file) const;
    void damage_structure(Random& random, std::vector<std::uint8_t>& file) const;
    void change_manifest(Random& random, std::vector<std::uint8_t>& file) const;
    void change_trace(Random& random, std::vector<std::uint8_t>& file) const;

    const Subject& subject_;
};

// A value that tends to sit on somebody's limit, often near `value`.
[[nodiscard]] std::uint32_t interesting(Random& random, std::uint32_t value);

// Changes something in the manifest, as far as it can be written.
void change_something(Random& random, capture::Manifest& manifest);

// Sets the cost of every launch and dispatch to what its kernel says, where the kernel accepts the arguments.
void repair_costs(std::vector<std::uint32_t>& words);

}  // namespace pianola::test
