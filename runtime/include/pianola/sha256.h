// SHA-256, incremental.
//
// The digest of the envelope, of schema and of kernel library. It must run on target before the file is parsed, so it
// is implemented here and not taken from a library. Source of the algorithm: FIPS 180-4, section 6.2.
#pragma once

#include <array>
#include <cstdint>

#include "pianola/span.h"

namespace pianola {

inline constexpr std::size_t kSha256Bytes = 32U;
using Sha256Digest = std::array<std::uint8_t, kSha256Bytes>;

// One message at a time: update() as often as needed, then finish() once. 112 bytes of state, about 350 of stack.
class Sha256 {
  public:
    Sha256() noexcept;

    void update(ByteSpan bytes) noexcept;
    [[nodiscard]] Sha256Digest finish() noexcept;

  private:
    static constexpr std::size_t kBlockBytes = 64U;

    void compress(ByteSpan block) noexcept;

    std::array<std::uint32_t, 8> state_{0x6A09E667U, 0xBB67AE85U, 0x3C6EF372U, 0xA54FF53AU,
                                        0x510E527FU, 0x9B05688CU, 0x1F83D9ABU, 0x5BE0CD19U};
    std::array<std::uint8_t, kBlockBytes> block_{};
    std::size_t block_used_{0U};
    std::uint64_t message_bytes_{0U};
};

// Digest of one contiguous message.
[[nodiscard]] Sha256Digest sha256(ByteSpan message) noexcept;

// True if equal. Reads every byte, independent of the first difference.
[[nodiscard]] bool digests_equal(ByteSpan left, ByteSpan right) noexcept;

}  // namespace pianola
