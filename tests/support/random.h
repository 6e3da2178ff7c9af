// Numbers that are the same in every run and on every machine.
//
// The standard's engines are specified to the bit, its distributions are not.
#pragma once

#include <cstdint>
#include <random>

namespace pianola::test {

class Random {
  public:
    explicit Random(std::uint32_t seed) : engine_{seed} {}

    [[nodiscard]] std::uint32_t word() { return static_cast<std::uint32_t>(engine_()); }
    // 0 to limit - 1; limit is not 0. The bias towards small numbers does not matter to tests.
    [[nodiscard]] std::uint32_t below(std::uint32_t limit) { return word() % limit; }
    [[nodiscard]] bool one_in(std::uint32_t count) { return below(count) == 0U; }
    [[nodiscard]] std::uint8_t byte() { return static_cast<std::uint8_t>(word() >> 24U); }

  private:
    std::mt19937 engine_;
};

}  // namespace pianola::test
