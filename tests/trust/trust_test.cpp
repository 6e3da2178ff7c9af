// Who may sign what: every rule about signatures, with files that OpenSSL has signed and the target's own verifier.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "pianola/envelope.h"
#include "pianola_host/files.h"
#include "tests/support/trace_file.h"
#include "tests/support/verifies.h"
#include "tests/trust/signed_file.h"

namespace pianola::test {
namespace {

using signing::Bytes;
using signing::Key;
using signing::KeyKind;

class TrustRules : public testing::Test {
  protected:
    TrustRules() { device_.add(key_); }

    // What a device says: the rule, and where; "accepted" otherwise.
    static std::string judge(const Bytes& file, const Trust& trust) {
        const files::AlignedBytes bytes{file};
        DeviceDescription device;
        refdev::describe(refdev::DeviceSpec{}, device);
        const auto workspace = std::make_unique<PlanWorkspace>();
        const auto plan = std::make_unique<Plan>();
        Image image;
        Verdict verdict;
        const Status status =
            validate(bytes.view(), device, refdev::RefdevCommandSet{}, trust, *workspace, image, *plan, verdict);
        EXPECT_EQ(is_ok(status), verdict.flow == kFlowAccepted);
        return is_ok(status) ? "accepted"
                             : (std::string{rule_id(verdict.rule)} + " " + path_text(verdict) + " " +
                                std::to_string(verdict.file_offset));
    }

    Key key_ = Key::generate(KeyKind::kP256);
    Key stranger_ = Key::generate(KeyKind::kP256);
    Keys device_;
};

TEST_F(TrustRules, AcceptsWhatAKeyOfTheListHasSigned) {
    verifies({"swr~signatures~1"});
    device_.add(stranger_);
    EXPECT_EQ(judge(signed_workload(key_), device_.trust()), "accepted");
    EXPECT_EQ(judge(signed_workload(stranger_), device_.trust()), "accepted");
}

TEST_F(TrustRules, RefusesWhatIsNotSignedInProductionOnly) {
    verifies({"rule~AUT-UNSIGNED~1"});
    const Bytes file = make_workload(1U).file();
    EXPECT_EQ(judge(file, device_.trust()), "AUT-UNSIGNED header.signature_algorithm 28");
    EXPECT_EQ(judge(file, device_.trust(SignaturePolicy::kOptional)), "accepted");
    EXPECT_EQ(judge(file, Trust{}), "AUT-UNSIGNED header.signature_algorithm 28") << "the default is production's";
}

TEST_F(TrustRules, AnythingButOptionalMeansRequired) {
    const auto damaged = static_cast<SignaturePolicy>(static_cast<std::uint32_t>(SignaturePolicy::kOptional) ^ 1U);
    EXPECT_EQ(judge(make_workload(1U).file(), device_.trust(damaged)), "AUT-UNSIGNED header.signature_algorithm 28");
}

TEST_F(TrustRules, RefusesUnknownKeysInProductionOnly) {
    verifies({"rule~AUT-KEY~1"});
    const Bytes file = signed_workload(stranger_);
    EXPECT_EQ(judge(file, device_.trust()), "AUT-KEY header.key_id 36");
    EXPECT_EQ(judge(file, Trust{}), "AUT-KEY header.key_id 36") << "no keys at all";
    EXPECT_EQ(judge(file, device_.trust(SignaturePolicy::kOptional)), "accepted");
}

TEST_F(TrustRules, RefusesRevokedKeysAlways) {
    verifies({"swr~signatures~1", "rule~AUT-REVOKED~1"});
    const Bytes file = signed_workload(stranger_);
    device_.add(stranger_, KeyState::kRevoked);
    EXPECT_EQ(judge(file, device_.trust()), "AUT-REVOKED header.key_id 36");
    EXPECT_EQ(judge(file, device_.trust(SignaturePolicy::kOptional)), "AUT-REVOKED header.key_id 36");
    EXPECT_EQ(judge(signed_workload(key_), device_.trust()), "accepted") << "other keys go on";
}

// Whichever entry comes first.
TEST_F(TrustRules, RefusesAKeyThatAnyEntryRevokes) {
    const Bytes file = signed_workload(key_);
    device_.add(key_, KeyState::kTrusted);
    EXPECT_EQ(judge(file, device_.trust()), "accepted");
    device_.add(key_, KeyState::kRevoked);
    device_.add(key_, KeyState::kTrusted);
    EXPECT_EQ(judge(file, device_.trust()), "AUT-REVOKED header.key_id 36");
}

TEST_F(TrustRules, RefusesSignaturesThatDoNotHold) {
    verifies({"swr~signatures~1", "rule~AUT-SIGNATURE~1"});
    const Bytes good = signed_workload(key_);
    const std::string refusal = "AUT-SIGNATURE signature " + std::to_string(good.size() - kSignatureBytes);
    for (std::size_t i = 0U; i < kSignatureBytes; ++i) {
        Bytes file = good;
        file[file.size() - 1U - i] = static_cast<std::uint8_t>(file[file.size() - 1U - i] ^ (1U << (i % 8U)));
        EXPECT_EQ(judge(file, device_.trust()), refusal) << i;
    }
    EXPECT_EQ(judge(signing::with_signature(good, Signature{}), device_.trust()), refusal) << "zeros";
    // Another key's signature under this key's name.
    const Signature foreign = stranger_.sign_digest(signing::digest_of(good));
    EXPECT_EQ(judge(signing::with_signature(good, foreign), device_.trust()), refusal);
    // One that was made for another file.
    const Bytes other = signed_workload(key_, 1U);
    Signature signature{};
    std::copy(other.end() - kSignatureBytes, other.end(), signature.begin());
    EXPECT_EQ(judge(signing::with_signature(good, signature), device_.trust()), refusal);
    Trust without_verifier = device_.trust();
    without_verifier.verifier = nullptr;
    EXPECT_EQ(judge(good, without_verifier), refusal);
}

TEST_F(TrustRules, RefusesWhatIsOlderThanTheDeviceAdmits) {
    verifies({"rule~AUT-VERSION~1"});
    Trust trust = device_.trust();
    trust.lowest_security_version = 5U;
    EXPECT_EQ(judge(signed_workload(key_, 4U), trust), "AUT-VERSION header.security_version 20");
    EXPECT_EQ(judge(signed_workload(key_, 5U), trust), "accepted");
    EXPECT_EQ(judge(signed_workload(key_, UINT32_MAX), trust), "accepted");
}

// Everything that is honoured is under the signature: whoever changes it and mends the digest has no signature for it.
TEST_F(TrustRules, NothingCanBeChangedAndSealedAgain) {
    verifies({"swr~signatures~1"});
    const Bytes good = signed_workload(key_, 7U);
    for (std::size_t offset = 0U; offset < (good.size() - kSignatureBytes); ++offset) {
        Bytes file = good;
        file[offset] = static_cast<std::uint8_t>(file[offset] ^ 1U);
        const std::size_t unsigned_bytes = file.size() - kSignatureBytes;
        const Sha256Digest digest = envelope_digest(ByteSpan{file.data(), unsigned_bytes});
        std::copy(digest.begin(), digest.end(), file.begin() + header::kDigest);
        if (file == good) {
            continue;  // a byte of the digest, which was mended
        }
        const std::string verdict = judge(file, device_.trust());
        EXPECT_TRUE((verdict.rfind("AUT-", 0U) == 0U) || (verdict.rfind("ENV-", 0U) == 0U))
            << offset << ": " << verdict;
    }
}

TEST_F(TrustRules, ASignatureThatIsCutOffOrHiddenIsRefused) {
    const Bytes good = signed_workload(key_);
    for (std::size_t missing = 1U; missing <= kSignatureBytes; ++missing) {
        Bytes file(good.begin(), good.end() - static_cast<std::ptrdiff_t>(missing));
        EXPECT_EQ(judge(file, device_.trust()), "ENV-TOTAL-SIZE header.total_bytes 16");
        store32(file, header::kTotalBytes, static_cast<std::uint32_t>(file.size()));
        store32(file, header::kSignatureBytes, static_cast<std::uint32_t>(kSignatureBytes - missing));
        EXPECT_EQ(judge(file, device_.trust()), "AUT-SIGNATURE-SIZE header.signature_bytes 32") << missing;
    }
    Bytes stripped(good.begin(), good.end() - kSignatureBytes);  // and everything mended: it is then just not signed
    store32(stripped, header::kTotalBytes, static_cast<std::uint32_t>(stripped.size()));
    store32(stripped, header::kSignatureBytes, 0U);
    store32(stripped, header::kSignatureAlgorithm, kSignatureNone);
    store32(stripped, header::kKeyId, 0U);
    store32(stripped, header::kKeyId + 4U, 0U);
    const Sha256Digest digest = envelope_digest(ByteSpan{stripped.data(), stripped.size()});
    std::copy(digest.begin(), digest.end(), stripped.begin() + header::kDigest);
    EXPECT_EQ(judge(stripped, device_.trust()), "AUT-UNSIGNED header.signature_algorithm 28");
}

}  // namespace
}  // namespace pianola::test
