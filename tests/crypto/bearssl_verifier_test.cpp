// BearSslVerifier against published signatures, and against input that no signer makes.
//
// Vectors: RFC 6979, appendix A.2.5 (curve P-256, with SHA-256). The messages are hashed by the runtime's own SHA-256.
#include "hal/crypto/bearssl_verifier.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "pianola/sha256.h"
#include "tests/support/verifies.h"

namespace pianola {
namespace {

template <std::size_t kBytes>
std::array<std::uint8_t, kBytes> from_hex(std::string_view text) {
    EXPECT_EQ(text.size(), 2U * kBytes);
    std::array<std::uint8_t, kBytes> bytes{};
    for (std::size_t i = 0U; i < kBytes; ++i) {
        bytes[i] = static_cast<std::uint8_t>(std::stoul(std::string{text.substr(2U * i, 2U)}, nullptr, 16));
    }
    return bytes;
}

Sha256Digest digest_of(std::string_view message) {
    const std::vector<std::uint8_t> bytes{message.begin(), message.end()};
    return sha256({bytes.data(), bytes.size()});
}

const PublicKey kKey = from_hex<kPublicKeyBytes>(
    "60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6"
    "7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299");
const Signature kOfSample = from_hex<kSignatureBytes>(
    "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716"
    "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8");
const Signature kOfTest = from_hex<kSignatureBytes>(
    "F1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367"
    "019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083");
// The order of the curve: SEC 2, section 2.4.2.
const std::array<std::uint8_t, 32> kOrder =
    from_hex<32>("FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551");

class BearSslVerifierTest : public testing::Test {
  protected:
    Status verify(const Sha256Digest& digest, const Signature& signature, const PublicKey& key) const {
        const BearSslVerifier software;
        const SignatureVerifier& verifier = software;
        return verifier.verify(digest, signature, key);
    }

    // kOfSample with r or s, which is r with `half` 0 and s with 1, replaced.
    static Signature with_half(std::size_t half, const std::array<std::uint8_t, 32>& number) {
        Signature signature = kOfSample;
        std::copy(number.begin(), number.end(), signature.begin() + static_cast<std::ptrdiff_t>(half * 32U));
        return signature;
    }

    const Sha256Digest sample_ = digest_of("sample");
};

TEST_F(BearSslVerifierTest, AcceptsPublishedSignatures) {
    EXPECT_EQ(verify(sample_, kOfSample, kKey), Status::kOk);
    EXPECT_EQ(verify(digest_of("test"), kOfTest, kKey), Status::kOk);
}

TEST_F(BearSslVerifierTest, RefusesTheSignatureOfAnotherMessage) {
    test::verifies({"swr~signatures~1"});
    EXPECT_EQ(verify(sample_, kOfTest, kKey), Status::kRefused);
    EXPECT_EQ(verify(digest_of("test"), kOfSample, kKey), Status::kRefused);
    EXPECT_EQ(verify(digest_of(""), kOfSample, kKey), Status::kRefused);
}

TEST_F(BearSslVerifierTest, RefusesNumbersOutOfRange) {
    const std::array<std::uint8_t, 32> zero{};
    std::array<std::uint8_t, 32> top{};
    top.fill(0xFFU);
    std::array<std::uint8_t, 32> above = kOrder;
    above.back() = static_cast<std::uint8_t>(above.back() + 1U);
    for (const std::size_t half : {0U, 1U}) {
        for (const auto& number : {zero, kOrder, above, top}) {
            EXPECT_EQ(verify(sample_, with_half(half, number), kKey), Status::kRefused);
        }
    }
    EXPECT_EQ(verify(sample_, Signature{}, kKey), Status::kRefused);
}

// Without a check of r, BearSSL lets these pass: 0 G + 0 Q is the point at infinity, which it writes as (0, 0).
TEST_F(BearSslVerifierTest, RefusesZeroSignaturesOverZeroDigests) {
    Sha256Digest order_as_digest{};
    std::copy(kOrder.begin(), kOrder.end(), order_as_digest.begin());
    for (const Sha256Digest& digest : {Sha256Digest{}, order_as_digest}) {
        EXPECT_EQ(verify(digest, with_half(0U, {}), kKey), Status::kRefused);
        EXPECT_EQ(verify(digest, with_half(0U, kOrder), kKey), Status::kRefused);
        EXPECT_EQ(verify(digest, Signature{}, kKey), Status::kRefused);
    }
}

TEST_F(BearSslVerifierTest, RefusesKeysThatAreNoPoints) {
    EXPECT_EQ(verify(sample_, kOfSample, PublicKey{}), Status::kRefused);
    PublicKey top{};
    top.fill(0xFFU);
    EXPECT_EQ(verify(sample_, kOfSample, top), Status::kRefused);
    PublicKey beside = kKey;
    beside.back() = static_cast<std::uint8_t>(beside.back() ^ 1U);
    EXPECT_EQ(verify(sample_, kOfSample, beside), Status::kRefused);
    PublicKey only_x = kKey;
    std::fill(only_x.begin() + 32, only_x.end(), std::uint8_t{0U});
    EXPECT_EQ(verify(sample_, kOfSample, only_x), Status::kRefused);
}

}  // namespace
}  // namespace pianola
