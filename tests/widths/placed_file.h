// Places: the same bytes at addresses at which sums of pointers wrap round, or change their sign.
//
// A verdict must not depend on where a file lies. Sums of 32 bits wrap only where they pass the last of all addresses,
// so that a process of 32 bits tries its highest ones too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pianola/span.h"

namespace pianola::test {

class Places {
  public:
    // Takes the memory. Throws std::runtime_error where the system gives none.
    Places();
    ~Places();
    Places(const Places&) = delete;
    Places& operator=(const Places&) = delete;

    // Where the memory lies, for a log: it can differ from run to run.
    [[nodiscard]] std::string describe() const;
    // Writes the bytes to every place that has room for them. Each view starts `shift` bytes after a multiple of 64,
    // and is valid until the next call.
    [[nodiscard]] std::vector<ByteSpan> put(const std::vector<std::uint8_t>& bytes, std::size_t shift = 0U);

    // Where the highest place ends if nothing else lies there: the end of what Linux gives a process of 32 bits.
    static constexpr std::uint64_t kHighestEnd = 0xFFFF'E000U;

  private:
    struct Arena {
        std::uint8_t* begin{nullptr};
        std::size_t bytes{0U};
        bool at_end{false};  // files end with it; else they lie round its middle
    };
    [[nodiscard]] static Arena take(std::uint64_t first, std::size_t bytes, bool at_end);
    [[nodiscard]] static Arena take_highest(std::size_t bytes);

    std::vector<Arena> arenas_;
};

}  // namespace pianola::test
