// Random argument words of every kernel: shapes of all sizes, values of all kinds.
#pragma once

#include <cstdint>
#include <optional>

#include "tests/kernels/launch.h"
#include "tests/support/random.h"

namespace pianola::refdev {

// Sizes, as a product that is shared out: each draw takes a part of what is left, and all scales are equally likely.
class Sizes {
  public:
    Sizes(test::Random& random, std::uint32_t most);
    // 1 to `most`, often small, odd, a multiple of 4, 8 or 16, or next to one.
    std::uint32_t draw(std::uint32_t most);
    // Gives each of the dimensions a size, in any order, so that none is always the largest.
    void share(std::initializer_list<std::uint32_t*> dimensions, std::uint32_t most = UINT32_MAX);

  private:
    test::Random& random_;
    std::uint32_t left_;
};

// Accepted words of a launch. Operands lie kApartBytes from each other, the first address word's at kApartBytes, and
// are to be placed; an address that is 0 is of an operand that the launch omits. `most_operations`: about the largest
// product of its dimensions. Empty if some tries gave none.
inline constexpr std::uint32_t kApartBytes = 0x0800'0000U;
std::optional<Words> random_arguments(const Kernel& kernel, test::Random& random, std::uint32_t most_operations);

// Name of an argument word, as in refusals.
const char* argument_name(const Kernel& kernel, std::size_t word);

}  // namespace pianola::refdev
