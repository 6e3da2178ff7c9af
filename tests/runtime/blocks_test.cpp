// The smallest parts of the runtime at the ends of what they take: extents, element sizes, digests, texts, and files of
// a wrong size.
#include <gtest/gtest.h>

#include <vector>

#include "pianola/bytes.h"
#include "pianola/command_set.h"
#include "pianola/development_config.h"
#include "pianola/plan.h"
#include "pianola/rule.h"
#include "pianola/sha256.h"
#include "tests/support/trace_file.h"
#include "tests/support/verifies.h"
#include "tests/support/workload.h"

namespace pianola::test {
namespace {

TEST(Extents, AreNeitherEmptyNorWrapAround) {
    verifies({"swr~published-extents~1"});
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

TEST(Bytes, AreStoredLeastSignificantFirst) {
    verifies({"swr~span-bounds~1"});
    std::vector<std::uint8_t> bytes(6U, 0xEEU);
    store_le32(MutableByteSpan{bytes.data(), bytes.size()}, 1U, 0x0403'0201U);
    EXPECT_EQ(bytes, (std::vector<std::uint8_t>{0xEEU, 1U, 2U, 3U, 4U, 0xEEU}));
    EXPECT_EQ(load_le32(ByteSpan{bytes.data(), bytes.size()}, 1U), 0x0403'0201U);
}

TEST(Elements, HaveSizes) {
    EXPECT_EQ(element_bytes(ElementType::kInt8), 1U);
    EXPECT_EQ(element_bytes(ElementType::kUint8), 1U);
    EXPECT_EQ(element_bytes(ElementType::kBool), 1U);
    EXPECT_EQ(element_bytes(ElementType::kInt16), 2U);
    EXPECT_EQ(element_bytes(ElementType::kUint16), 2U);
    EXPECT_EQ(element_bytes(ElementType::kBfloat16), 2U);
    EXPECT_EQ(element_bytes(ElementType::kInt32), 4U);
    EXPECT_EQ(element_bytes(ElementType::kUint32), 4U);
    EXPECT_EQ(element_bytes(ElementType::kFloat32), 4U);
    EXPECT_EQ(element_bytes(ElementType::kUnspecified), 0U);
    EXPECT_EQ(element_bytes(static_cast<ElementType>(0x7FU)), 0U) << "and what is no element";
}

// A plan that is not filled in must not let a word of a trace be set.
TEST(PlannedParameters, AdmitNothingBeforeTheyArePlanned) {
    verifies({"swr~parameters~1"});
    EXPECT_FALSE(PlannedParameter{}.admits(0U));
    EXPECT_TRUE((PlannedParameter{0U, 0U, 4U, 0U, 0U}.admits(0U)));
}

TEST(Digests, OfAnotherSizeDiffer) {
    verifies({"swr~envelope-first~1"});
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
    verifies({"swr~envelope-first~1"});
    const files::AlignedBytes bytes{make_workload(1U).file()};
    const ByteSpan file = bytes.view();
    Envelope envelope;
    Verdict verdict;
    ASSERT_EQ(parse_envelope(file, envelope, verdict), Status::kOk);
    for (const std::size_t size : {std::size_t{0U}, std::size_t{kHeaderBytes - 1U}, file.size() - 1U}) {
        EXPECT_EQ(authenticate(file.subspan(0U, size), envelope, kDevelopmentTrust, verdict), Status::kRefused);
        EXPECT_EQ(verdict.rule, Rule::kEnvTotalSize) << size;
    }
    Envelope beyond = envelope;
    beyond.self_tests.offset = envelope.total_bytes + 1U;
    EXPECT_EQ(authenticate(file, beyond, kDevelopmentTrust, verdict), Status::kRefused);
    EXPECT_EQ(verdict.rule, Rule::kEnvTotalSize);
    Image image;
    EXPECT_EQ(open_image(file.subspan(0U, kHeaderBytes + 1U), envelope, kCapacities, image, verdict), Status::kRefused);
    EXPECT_EQ(verdict.rule, Rule::kImgSize);
    EXPECT_EQ(open_image(file, envelope, kCapacities, image, verdict), Status::kOk);
    envelope.manifest.size_bytes = 0U;
    EXPECT_EQ(open_image(file, envelope, kCapacities, image, verdict), Status::kRefused);
    EXPECT_EQ(verdict.rule, Rule::kImgSize);
}

// The file says that it is signed, and is too short to hold header and signature.
TEST(Stages, RefuseAFileWithoutRoomForItsSignature) {
    verifies({"swr~envelope-first~1"});
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

// A binary for a device that cannot be: both say the same, and neither is believed.
TEST(Devices, ThatCannotBeAreRefused) {
    const auto refused = [](const char* what, const auto& change) {
        Workload workload = make_workload(1U);
        DeviceDescription device;
        refdev::describe(refdev::DeviceSpec{}, device);
        change(workload.manifest.target, device);
        Validator validator{device};
        EXPECT_EQ(validator.validate(workload.file()), Status::kRefused) << what;
        EXPECT_EQ(validator.verdict().rule, Rule::kTgtMemory) << what;
        EXPECT_EQ(path_text(validator.verdict()), "target") << what;
    };
    refused("no queues", [](auto& target, auto& device) { target.queue_count = device.queue_count = 0U; });
    refused("a queue too many", [](auto& target, auto& device) { target.queue_count = device.queue_count = 3U; });
    refused("no columns", [](auto& target, auto& device) { target.grid_columns = device.grid_columns = 0U; });
    refused("columns", [](auto& target, auto& device) { target.grid_columns = device.grid_columns = kMaxCores + 1U; });
    refused("no rows", [](auto& target, auto& device) { target.grid_rows = device.grid_rows = 0U; });
    refused("a trace region larger than its memory", [](auto& target, auto& device) {
        target.trace_region_bytes = device.trace_region_bytes = device.dram_bytes + 64U;
    });
    refused("DRAM that wraps", [](auto& target, auto& device) { target.dram_base = device.dram_base = 0xFFFF'FFC0U; });
    refused("L1 that wraps", [](auto& target, auto& device) { target.l1_base = device.l1_base = 0xFFFF'FFC0U; });
}

TEST(Tensors, HaveAScaleAndAZeroPointOfTheirType) {
    const auto judge = [](float scale, std::int32_t zero_point) {
        Workload workload = make_workload(1U);
        workload.manifest.inputs.front().scale = scale;
        workload.manifest.inputs.front().zero_point = zero_point;
        Validator validator;
        static_cast<void>(validator.validate(workload.file()));
        return validator.verdict().rule;
    };
    EXPECT_EQ(judge(0.0F, 0), Rule::kAccepted);
    EXPECT_EQ(judge(0.5F, -128), Rule::kAccepted);
    EXPECT_EQ(judge(-0.5F, 0), Rule::kLayQuantisation);
    EXPECT_EQ(judge(0.5F, 127), Rule::kAccepted);
    EXPECT_EQ(judge(0.5F, 128), Rule::kLayQuantisation);
    EXPECT_EQ(judge(0.5F, -129), Rule::kLayQuantisation);
}

TEST(SelfTests, AreNotMoreThanTheirNumberMayBe) {
    const Workload workload = make_workload(1U, kMaxSelfTests + 1U);
    Validator validator;
    EXPECT_EQ(validator.validate(workload.file()), Status::kRefused);
    EXPECT_EQ(validator.verdict().rule, Rule::kImgCount);
    EXPECT_EQ(validator.validate(make_workload(1U, kMaxSelfTests).file()), Status::kOk);
}

// The writer leaves out what equals the default, and -0 does: it is put into the file where another scale was.
TEST(Tensors, MayHaveAScaleOfMinusZero) {
    constexpr std::uint32_t kOneHalf = 0x3F00'0000U;
    constexpr std::uint32_t kMinusZero = 0x8000'0000U;
    std::vector<std::uint8_t> file = make_workload(1U).file();
    std::uint32_t replaced = 0U;
    const std::uint32_t first = segment_offset(file, 0U);
    for (std::uint32_t at = first; at < (first + segment_bytes(file, 0U)); at += 4U) {
        if (load32(file, at) == kOneHalf) {
            store32(file, at, kMinusZero);
            replaced += 1U;
        }
    }
    ASSERT_EQ(replaced, 2U) << "of the input and of the output";
    capture::fix_digest(file);
    Validator validator;
    EXPECT_EQ(validator.validate(file), Status::kOk) << rule_id(validator.verdict().rule);
}

}  // namespace
}  // namespace pianola::test
