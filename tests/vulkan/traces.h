// Traces of a few copies on two cores: right ones, and those with a barrier or an implied order less.
//
// Each exists three times: as a real binary that the validator judges, as scripts for the explorer, and as words that
// are recorded whatever anybody says of them. Memory is counted in blocks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/proofs/explorer.h"
#include "tests/support/random.h"
#include "tests/support/workload.h"

namespace pianola::vulkan {

inline constexpr std::uint32_t kBlocks = 16U;       // of the input, and of the memory that is worked on
inline constexpr std::uint32_t kBlockBytes = 256U;  // more than any alignment of buffers

struct Piece {
    enum class Kind { kLaunch, kDispatch, kCopy, kFill, kBarrier };
    Kind kind{Kind::kLaunch};
    std::uint32_t core{0U};
    std::uint32_t target{0U};  // block of the memory
    std::uint32_t source{0U};  // block; from kBlocks on of the input
    std::uint32_t blocks{1U};
};
using Pieces = std::vector<Piece>;

// Random pieces that are ordered by barriers wherever they have to be.
[[nodiscard]] Pieces ordered_pieces(test::Random& random);

// What is left out of a right trace.
struct TraceMutant {
    std::string what;  // "a barrier", "an implied order"
    Pieces pieces;
};
[[nodiscard]] std::vector<TraceMutant> mutants_of(const Pieces& pieces);

// The three forms.
class SmallTraces {
  public:
    SmallTraces();
    [[nodiscard]] std::vector<std::uint32_t> words(const Pieces& pieces) const;
    // The rule that refuses the binary; empty where it is accepted.
    [[nodiscard]] std::string verdict(const Pieces& pieces) const;

  private:
    test::Workload workload_;
    std::uint32_t input_{0U};
    std::uint32_t memory_{0U};
    std::uint32_t output_{0U};
};
// Whether two dispatches that nothing orders write the same byte. The layer finds that, and suppresses it: it does not
// know which bytes of a descriptor a shader writes.
[[nodiscard]] bool writers_meet(const Pieces& pieces);
// Whether two pieces meet, in any order in which two cores can run them.
[[nodiscard]] bool explored_race(const Pieces& pieces);

}  // namespace pianola::vulkan
