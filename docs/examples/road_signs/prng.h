// Prng: the one source of chance in the sample.
//
// The sample must be the same bytes on every machine, so it cannot use the distributions of the standard library, whose
// results each library chooses for itself. The generator is SplitMix64 (Steele, Lea and Flood, "Fast splittable
// pseudorandom number generators", 2014).
#pragma once

#include <cstdint>

namespace pianola::sample {

class Prng {
  public:
    // Generators of different streams or indices are unrelated, so that image 7 does not depend on image 6.
    Prng(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) noexcept;

    std::uint64_t next() noexcept;

    // In [0, 1), 53 bits.
    double unit() noexcept;
    // In [low, high).
    double uniform(double low, double high) noexcept;
    // In [0, count); count > 0. The bias of at most count / 2^32 does not matter here.
    std::uint32_t below(std::uint32_t count) noexcept;
    bool chance(double probability) noexcept;
    // About normal: mean 0, deviation 1, never beyond 3.5. One call of next().
    double normal() noexcept;

  private:
    std::uint64_t state_;
};

}  // namespace pianola::sample
