// SHA-256 against the published examples (FIPS 180-4; NIST, "Cryptographic Standards and Guidelines: Example Values"),
// and the incremental interface against the one-shot one.
#include "pianola/sha256.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace pianola {
namespace {

std::string hex(const Sha256Digest& digest) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (const std::uint8_t byte : digest) {
        text += kDigits[byte >> 4U];
        text += kDigits[byte & 15U];
    }
    return text;
}

Sha256Digest digest_of(const std::string& message) {
    const std::vector<std::uint8_t> bytes{message.begin(), message.end()};
    return sha256(ByteSpan{bytes.data(), bytes.size()});
}

TEST(Sha256, GivesThePublishedValues) {
    EXPECT_EQ(hex(digest_of("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(hex(digest_of("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(hex(digest_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(hex(digest_of(std::string(1'000'000U, 'a'))),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, EverySplitGivesTheDigestOfTheWhole) {
    constexpr std::size_t kLongest = 200U;
    std::vector<std::uint8_t> bytes(kLongest);
    for (std::size_t i = 0U; i < kLongest; ++i) {
        bytes[i] = static_cast<std::uint8_t>((i * 131U) + 7U);
    }
    for (std::size_t length = 0U; length <= kLongest; ++length) {
        const ByteSpan message{bytes.data(), length};
        const Sha256Digest whole = sha256(message);
        for (std::size_t split = 0U; split <= length; ++split) {
            Sha256 hash;
            hash.update(message.subspan(0U, split));
            hash.update(message.subspan(split, length - split));
            ASSERT_EQ(hash.finish(), whole) << length << " bytes, split at " << split;
        }
        Sha256 bytewise;
        for (std::size_t i = 0U; i < length; ++i) {
            bytewise.update(message.subspan(i, 1U));
        }
        ASSERT_EQ(bytewise.finish(), whole) << length;
    }
}

TEST(Sha256, ComparisonSeesEveryBitAndEveryLength) {
    const Sha256Digest digest = digest_of("abc");
    EXPECT_TRUE(digests_equal(ByteSpan{digest}, ByteSpan{digest}));
    for (std::size_t bit = 0U; bit < (8U * kSha256Bytes); ++bit) {
        Sha256Digest other = digest;
        other.at(bit / 8U) = static_cast<std::uint8_t>(other.at(bit / 8U) ^ (1U << (bit % 8U)));
        EXPECT_FALSE(digests_equal(ByteSpan{digest}, ByteSpan{other})) << bit;
    }
    const ByteSpan shorter = ByteSpan{digest}.subspan(0U, kSha256Bytes - 1U);
    EXPECT_FALSE(digests_equal(shorter, shorter));
    EXPECT_FALSE(digests_equal(ByteSpan{}, ByteSpan{}));
}

}  // namespace
}  // namespace pianola
