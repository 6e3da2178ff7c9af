#include "pianola/sha256.h"

#include <cstring>
#include <utility>

namespace pianola {
namespace {

constexpr std::size_t kRounds = 64U;
constexpr std::size_t kLengthBytes = 8U;
constexpr std::uint8_t kPadStart = 0x80U;

// The message schedule is kept as its last 16 words, as section 6.1.3 does for SHA-1: the stack holds 64 bytes of it
// instead of 256.
constexpr std::size_t kWindow = 16U;
using Window = std::array<std::uint32_t, kWindow>;

// FIPS 180-4, section 4.2.2: first 32 bits of the fractional parts of the cube roots of the first 64 primes.
using RoundConstants = std::array<std::uint32_t, kWindow>;
constexpr std::array<RoundConstants, kRounds / kWindow> kRoundConstants{{
    {0x428A2F98U, 0x71374491U, 0xB5C0FBCFU, 0xE9B5DBA5U, 0x3956C25BU, 0x59F111F1U, 0x923F82A4U, 0xAB1C5ED5U,
     0xD807AA98U, 0x12835B01U, 0x243185BEU, 0x550C7DC3U, 0x72BE5D74U, 0x80DEB1FEU, 0x9BDC06A7U, 0xC19BF174U},
    {0xE49B69C1U, 0xEFBE4786U, 0x0FC19DC6U, 0x240CA1CCU, 0x2DE92C6FU, 0x4A7484AAU, 0x5CB0A9DCU, 0x76F988DAU,
     0x983E5152U, 0xA831C66DU, 0xB00327C8U, 0xBF597FC7U, 0xC6E00BF3U, 0xD5A79147U, 0x06CA6351U, 0x14292967U},
    {0x27B70A85U, 0x2E1B2138U, 0x4D2C6DFCU, 0x53380D13U, 0x650A7354U, 0x766A0ABBU, 0x81C2C92EU, 0x92722C85U,
     0xA2BFE8A1U, 0xA81A664BU, 0xC24B8B70U, 0xC76C51A3U, 0xD192E819U, 0xD6990624U, 0xF40E3585U, 0x106AA070U},
    {0x19A4C116U, 0x1E376C08U, 0x2748774CU, 0x34B0BCB5U, 0x391C0CB3U, 0x4ED8AA4AU, 0x5B9CCA4FU, 0x682E6FF3U,
     0x748F82EEU, 0x78A5636FU, 0x84C87814U, 0x8CC70208U, 0x90BEFFFAU, 0xA4506CEBU, 0xBEF9A3F7U, 0xC67178F2U},
}};

template <std::uint32_t kBits>
[[nodiscard]] constexpr std::uint32_t rotate_right(std::uint32_t value) noexcept {
    return (value >> kBits) | (value << (32U - kBits));
}

[[nodiscard]] constexpr std::uint32_t small_sigma0(std::uint32_t x) noexcept {
    return rotate_right<7U>(x) ^ rotate_right<18U>(x) ^ (x >> 3U);
}
[[nodiscard]] constexpr std::uint32_t small_sigma1(std::uint32_t x) noexcept {
    return rotate_right<17U>(x) ^ rotate_right<19U>(x) ^ (x >> 10U);
}
// Rotations by 2, 13 and 22 of section 4.1.2, one inside the other: 13 = 2 + 11, 22 = 13 + 9. Where a core rotates what
// it adds, that is an instruction less. Likewise those by 6, 11 and 25.
[[nodiscard]] constexpr std::uint32_t big_sigma0(std::uint32_t x) noexcept {
    return rotate_right<2U>(x ^ rotate_right<11U>(x ^ rotate_right<9U>(x)));
}
[[nodiscard]] constexpr std::uint32_t big_sigma1(std::uint32_t x) noexcept {
    return rotate_right<6U>(x ^ rotate_right<5U>(x ^ rotate_right<14U>(x)));
}

struct WorkingVariables {
    std::array<std::uint32_t, 8> v;
    std::uint32_t b_xor_c;  // bits in which a and b of the previous round differ
};

// Round kTurn, modulo 16, of section 6.2.2, step 3. The eight variables a to h stay where they are and their names
// rotate, which saves seven moves a round; all indices are constants. The majority of a, b and c is b where b and c
// agree, and a's else; the difference of b and c is known from the previous round.
template <std::size_t kTurn>
[[gnu::always_inline]] inline void round(WorkingVariables& working, std::uint32_t constant_and_word) noexcept {
    constexpr std::size_t kCount = 8U;
    constexpr std::size_t kA = (kWindow - kTurn) % kCount;
    constexpr std::size_t kB = (kA + 1U) % kCount;
    constexpr std::size_t kD = (kA + 3U) % kCount;
    constexpr std::size_t kE = (kA + 4U) % kCount;
    constexpr std::size_t kF = (kA + 5U) % kCount;
    constexpr std::size_t kG = (kA + 6U) % kCount;
    constexpr std::size_t kH = (kA + 7U) % kCount;
    auto& v = working.v;
    const std::uint32_t choose = v[kG] ^ (v[kE] & (v[kF] ^ v[kG]));
    const std::uint32_t a_xor_b = v[kA] ^ v[kB];
    const std::uint32_t majority = v[kB] ^ (a_xor_b & working.b_xor_c);
    working.b_xor_c = a_xor_b;
    const std::uint32_t t1 = v[kH] + constant_and_word + choose + big_sigma1(v[kE]);
    v[kD] += t1;
    v[kH] = t1 + majority + big_sigma0(v[kA]);
}

// The same round, then the word of 16 rounds later: section 6.2.2, step 1.
template <std::size_t kTurn>
[[gnu::always_inline]] inline void turn(WorkingVariables& working, Window& w,
                                        const RoundConstants& constants) noexcept {
    const std::uint32_t word = w[kTurn];
    round<kTurn>(working, constants[kTurn] + word);
    w[kTurn] = word + small_sigma1(w[(kTurn + 14U) % kWindow]) + w[(kTurn + 9U) % kWindow] +
               small_sigma0(w[(kTurn + 1U) % kWindow]);
}

template <std::size_t... kTurns>
[[gnu::always_inline]] inline void turns(WorkingVariables& working, Window& w, const RoundConstants& constants,
                                         std::index_sequence<kTurns...> /*all*/) noexcept {
    (turn<kTurns>(working, w, constants), ...);  // NOLINT(pianola-misra-8.19.1): DEV-068
}

// The last rounds compute no further word.
template <std::size_t... kTurns>
[[gnu::always_inline]] inline void last_turns(WorkingVariables& working, const Window& w,
                                              const RoundConstants& constants,
                                              std::index_sequence<kTurns...> /*all*/) noexcept {
    (round<kTurns>(working, constants[kTurns] + w[kTurns]), ...);  // NOLINT(pianola-misra-8.19.1): DEV-068
}

// Big-endian. Compilers replace this by the core's instruction; a core without one executes these eight and no call.
[[nodiscard]] constexpr std::uint32_t turned(std::uint32_t word) noexcept {
    constexpr std::uint32_t kByte = 8U;
    constexpr std::uint32_t kOdd = 0x00FF00FFU;
    const std::uint32_t pairs = ((word >> kByte) & kOdd) | ((word & kOdd) << kByte);
    return (pairs >> (2U * kByte)) | (pairs << (2U * kByte));
}

// The words of the block, unrolled; most cores load and byte-swap a word in two instructions.
template <std::size_t... kPlaces>
[[gnu::always_inline]] inline void load_words(ByteSpan block, Window& w,
                                              std::index_sequence<kPlaces...> /*all*/) noexcept {
    static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the words of a block are big-endian");
    const auto load = [&block](std::size_t place) noexcept {
        std::uint32_t word = 0U;
        std::memcpy(&word, &block[sizeof(word) * place], sizeof(word));
        return turned(word);
    };
    ((w[kPlaces] = load(kPlaces)), ...);  // NOLINT(pianola-misra-8.18.2, pianola-misra-8.19.1): DEV-068
}

}  // namespace

void Sha256::compress(ByteSpan block) noexcept {
    Window w{};
    load_words(block, w, std::make_index_sequence<kWindow>{});
    WorkingVariables working{state_, state_[1] ^ state_[2]};
    constexpr auto kTurns = std::make_index_sequence<kWindow>{};
    constexpr std::size_t kLast = kRoundConstants.size() - 1U;
    for (std::size_t i = 0U; i < kLast; ++i) {
        turns(working, w, kRoundConstants[i], kTurns);
    }
    last_turns(working, w, kRoundConstants[kLast], kTurns);
    for (std::size_t i = 0U; i < state_.size(); ++i) {
        state_[i] += working.v[i];
    }
}

Sha256::Sha256() noexcept = default;

void Sha256::update(ByteSpan bytes) noexcept {
    message_bytes_ += bytes.size();
    std::size_t taken = 0U;
    while (taken < bytes.size()) {
        const std::size_t left = bytes.size() - taken;
        if ((block_used_ == 0U) && (left >= kBlockBytes)) {
            compress(bytes.subspan(taken, kBlockBytes));
            taken += kBlockBytes;
            continue;
        }
        const std::size_t room = kBlockBytes - block_used_;
        const std::size_t count = (left < room) ? left : room;
        std::memcpy(&block_[block_used_], &bytes[taken], count);
        block_used_ += count;
        taken += count;
        if (block_used_ == kBlockBytes) {
            compress(ByteSpan{block_});
            block_used_ = 0U;
        }
    }
}

Sha256Digest Sha256::finish() noexcept {
    const std::uint64_t message_bits = message_bytes_ * 8U;
    std::array<std::uint8_t, kBlockBytes + kLengthBytes> tail{};
    tail[0] = kPadStart;
    const std::size_t to_length = (block_used_ < (kBlockBytes - kLengthBytes)) ? (kBlockBytes - kLengthBytes)
                                                                               : ((2U * kBlockBytes) - kLengthBytes);
    const std::size_t pad_bytes = to_length - block_used_;
    for (std::size_t i = 0U; i < kLengthBytes; ++i) {
        tail[pad_bytes + i] = static_cast<std::uint8_t>(message_bits >> (8U * (kLengthBytes - 1U - i)));
    }
    update(ByteSpan{tail}.subspan(0U, pad_bytes + kLengthBytes));

    Sha256Digest digest{};
    for (std::size_t i = 0U; i < state_.size(); ++i) {
        for (std::size_t byte = 0U; byte < 4U; ++byte) {
            digest[(4U * i) + byte] = static_cast<std::uint8_t>(state_[i] >> (8U * (3U - byte)));
        }
    }
    return digest;
}

Sha256Digest sha256(ByteSpan message) noexcept {
    Sha256 hash;
    hash.update(message);
    return hash.finish();
}

bool digests_equal(ByteSpan left, ByteSpan right) noexcept {
    if ((left.size() != kSha256Bytes) || (right.size() != kSha256Bytes)) {
        return false;
    }
    std::uint32_t difference = 0U;
    for (std::size_t i = 0U; i < kSha256Bytes; ++i) {
        difference |= static_cast<std::uint32_t>(left[i]) ^ static_cast<std::uint32_t>(right[i]);
    }
    return difference == 0U;
}

}  // namespace pianola
