// Every truncation and every single changed byte of a binary is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/hostile/aligned_bytes.h"
#include "tests/hostile/subject.h"
#include "tests/support/random.h"
#include "tests/support/trace_file.h"
#include "tests/support/verifies.h"

namespace pianola::test {
namespace {

// Sanitized builds hash slowly: there, of large files, one byte in so many is changed.
constexpr std::size_t kStride = PIANOLA_HOSTILE_STRIDE;

class Attack {
  public:
    explicit Attack(const Subject& subject)
        : validator_{description_of(subject)}, bytes_(subject.file.begin(), subject.file.end()), name_{subject.name} {}

    void truncate() {
        for (std::size_t length = 0U; length < bytes_.size(); ++length) {
            // Memory of exactly that length, so that a read behind the end is seen; copied only where it is looked at.
            const bool exact = (length < 4096U) || ((length % 64U) == 0U);
            const ExactBytes copy(bytes_.begin(), bytes_.begin() + (exact ? static_cast<std::ptrdiff_t>(length) : 0));
            const ByteSpan view = exact ? view_of(copy) : view_of(bytes_).subspan(0U, length);
            ASSERT_EQ(validator_.validate(view), Status::kRefused) << name_ << " cut to " << length;
        }
        ASSERT_EQ(validator_.validate(view_of(bytes_)), Status::kOk);
    }

    void change_bytes(std::size_t shard, std::size_t shards, std::size_t stride) {
        std::map<Rule, std::size_t> rules;
        for (std::size_t at = shard * stride; at < bytes_.size(); at += shards * stride) {
            Random random{static_cast<std::uint32_t>(at)};
            const std::uint8_t old = bytes_[at];
            bytes_[at] = static_cast<std::uint8_t>(old ^ (1U + random.below(255U)));
            ASSERT_EQ(validator_.validate(view_of(bytes_)), Status::kRefused) << name_ << " byte " << at;
            rules[validator_.verdict().rule] += 1U;
            bytes_[at] = old;
        }
        ASSERT_EQ(validator_.validate(view_of(bytes_)), Status::kOk);
        EXPECT_GT(rules[Rule::kEnvDigest], 0U);
    }

  private:
    static DeviceDescription description_of(const Subject& subject) {
        DeviceDescription device;
        refdev::describe(subject.spec, device);
        return device;
    }

    Validator validator_;
    ExactBytes bytes_;
    std::string name_;
};

TEST(Exhaustive, SmallWorkloadTruncated) {
    verifies({"swr~hostile-bytes~1"});
    Attack{small_subject()}.truncate();
}

TEST(Exhaustive, SmallWorkloadEveryByte) {
    verifies({"swr~hostile-bytes~1"});
    Attack{small_subject()}.change_bytes(0U, 1U, 1U);
}

// The model is apart from the files that the build makes itself: where it is missing, its tests are skipped and do not
// pass.
TEST(Exhaustive, NamedFilesTruncated) {
    const std::vector<Subject> subjects = named_subjects();
    if (subjects.empty()) {
        GTEST_SKIP() << "no files: set PIANOLA_HOSTILE_FILES";
    }
    for (const Subject& subject : subjects) {
        Attack{subject}.truncate();
    }
}

TEST(Exhaustive, ModelTruncated) {
    const std::optional<Subject> subject = model_subject();
    if (!subject) {
        GTEST_SKIP() << "no models: set PIANOLA_SHARED";
    }
    Attack{*subject}.truncate();
}

constexpr std::size_t kShards = 4U;
class EveryByte : public testing::TestWithParam<std::size_t> {};

TEST_P(EveryByte, OfNamedFiles) {
    const std::vector<Subject> subjects = named_subjects();
    if (subjects.empty()) {
        GTEST_SKIP() << "no files: set PIANOLA_HOSTILE_FILES";
    }
    for (const Subject& subject : subjects) {
        Attack{subject}.change_bytes(GetParam(), kShards, kStride);
    }
}

TEST_P(EveryByte, OfTheModel) {
    const std::optional<Subject> subject = model_subject();
    if (!subject) {
        GTEST_SKIP() << "no models: set PIANOLA_SHARED";
    }
    Attack{*subject}.change_bytes(GetParam(), kShards, kStride);
}

INSTANTIATE_TEST_SUITE_P(Shards, EveryByte, testing::Range(std::size_t{0U}, kShards));

}  // namespace
}  // namespace pianola::test
