// The smallest parts of the runtime at the ends of what they take: extents, element sizes, digests, texts, and files of a wrong size.
#include <gtest/gtest.h>

#include <vector>

#include "runtime/device/command_set.h"
#include "runtime/digest/sha256.h"
#include "runtime/session/development_config.h"
#include "runtime/verdict/rule.h"
#include "tests/support/trace_file.h"
#include "tests/support/workload.h"

namespace pianola::test {
namespace {

TEST(Extents, AreNeitherEmptyNorWrapAround) {
    ExtentList list;
    EXPECT_FALSE(list.add(0U, 0U, Access::kRead, "")) << "empty";
    EXPECT_FALSE(list.add(0U, std::uint64_t{UINT32_MAX} + 1U, Access::kRead, "")) << "empty in 32 bits";
    EXPECT_FALSE(list.add(0U, std::uint64_t{UINT32_MAX} + 2U, Access::kRead, "")) << "a byte in 32 bits";
    EXPECT_FALSE(list.add(UINT32_MAX, 2U, Access::kRead, "")) << "wraps";
    EXPECT_TRUE(list.view().empty());
    EXPECT_TRUE(list.add(UINT32_MAX, 1U, Access::kWrite, "last"));
    EXPECT_TRUE(list.add(0U, UINT32_MAX, Access::kRead, "all but one"));
    ASSERT_EQ(list.view().size(), 2U);
    EXPECT_EQ(list.view()[0].address, UINT32_MAX);
    EXPECT_EQ(list.view()[1].size_bytes, UINT32_MAX);
}

TEST(Extents, AreNotMoreThanFit) {
    ExtentList list;
    for (std::uint32_t i = 0U; i < kMaxExtentsPerCommand; ++i) {
        EXPECT_TRUE(list.add(i, 1U, Access::kRead, ""));
    }
    EXPECT_FALSE(list.add(9U, 1U, Access::kRead, ""));
    EXPECT_EQ(list.view().size(), kMaxExtentsPerCommand);
    list.clear();
    EXPECT_TRUE(list.add(9U, 1U, Access::kRead, ""));
}

TEST(Elements, HaveSizes) {
    EXPECT_EQ(element_bytes(ElementType::kInt8), 1U);
    EXPECT_EQ(element_bytes(ElementType::kUint8), 1U);
    EXPECT_EQ(element_bytes(ElementType::kBool), 1U);
    EXPECT_EQ(element_bytes(ElementType::kInt16), 2U);
    EXPECT_EQ(element_bytes(ElementType::kInt32), 4U);
    EXPECT_EQ(element_bytes(ElementType::kFloat32), 4U);
    EXPECT_EQ(element_bytes(ElementType::kUnspecified), 0U);
    EXPECT_EQ(element_bytes(static_cast<ElementType>(0x7FU)), 0U) << "and what is no element";
}

TEST(Digests, OfAnotherSizeDiffer) {
    const Sha256Digest digest{1U, 2U, 3U};
    Sha256Digest other = digest;
    EXPECT_TRUE(digests_equal(ByteSpan{digest}, ByteSpan{other}));
    EXPECT_FALSE(digests_equal(ByteSpan{digest}, ByteSpan{digest}.subspan(0U, kSha256Bytes - 1U)));
    EXPECT_FALSE(digests_equal(ByteSpan{digest}.subspan(0U, kSha256Bytes - 1U), ByteSpan{digest}));
    EXPECT_FALSE(digests_equal({}, {})) << "nothing proves nothing";
    other[kSha256Bytes - 1U] ^= 0x80U;
    EXPECT_FALSE(digests_equal(ByteSpan{digest}, ByteSpan{other}));
}

TEST(RuleTexts, OfNoRuleAreThoseOfNoRun) {
    EXPECT_STREQ(rule_message(Rule::kRuleCount), rule_message(Rule::kNotRun));
    EXPECT_STREQ(rule_reason(Rule::kRuleCount), rule_reason(Rule::kNotRun));
}

// Stages of validation look at the file again, and rely on no earlier look.
TEST(Stages, RefuseAFileOfAnotherSize) {
    const files::AlignedBytes bytes{make_workload(1U).file()};
    const ByteSpan file = bytes.view();
    Envelope envelope;
    Verdict verdict;
    ASSERT_EQ(parse_envelope(file, envelope, verdict), Status::kOk);
    for (const std::size_t size : {std::size_t{0U}, std::size_t{kHeaderBytes - 1U}, file.size() - 1U}) {
        EXPECT_EQ(authenticate(file.subspan(0U, size), envelope, kDevelopmentTrust, verdict), Status::kRefused);
        EXPECT_EQ(verdict.rule, Rule::kEnvTotalSize) << size;
    }
    Image image;
    EXPECT_EQ(open_image(file.subspan(0U, kHeaderBytes + 1U), envelope, image, verdict), Status::kRefused);
    EXPECT_EQ(verdict.rule, Rule::kImgSize);
    EXPECT_EQ(open_image(file, envelope, image, verdict), Status::kOk);
    envelope.manifest.size_bytes = 0U;
    EXPECT_EQ(open_image(file, envelope, image, verdict), Status::kRefused);
    EXPECT_EQ(verdict.rule, Rule::kImgSize);
}

// The file says that it is signed, and is too short to hold header and signature.
TEST(Stages, RefuseAFileWithoutRoomForItsSignature) {
    constexpr std::uint32_t kAlgorithmOffset = 28U;
    constexpr std::uint32_t kSignatureBytesOffset = 32U;
    for (const std::uint32_t behind : {0U, 32U, 63U}) {
        std::vector<std::uint8_t> file = make_workload(1U).file();
        file.resize(kHeaderBytes + behind);
        store32(file, kTotalBytesOffset, kHeaderBytes + behind);
        store32(file, kAlgorithmOffset, kSignatureEcdsaP256);
        store32(file, kSignatureBytesOffset, static_cast<std::uint32_t>(kSignatureBytes));
        Validator validator;
        EXPECT_EQ(validator.validate(file), Status::kRefused);
        EXPECT_EQ(validator.verdict().rule, Rule::kAutSignatureSize) << behind;
    }
}

}  // namespace
}  // namespace pianola::test
