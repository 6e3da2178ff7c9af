// Span, FieldPath and format_path at their edges.
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>

#include "pianola/span.h"
#include "pianola/status.h"
#include "pianola/verdict.h"
#include "tests/support/verifies.h"

namespace pianola {
namespace {

constexpr std::size_t kHuge = std::numeric_limits<std::size_t>::max();

TEST(Span, ContainsNeverWraps) {
    test::verifies({"swr~span-bounds~1"});
    const std::array<std::uint8_t, 10> bytes{};
    const ByteSpan span{bytes};
    for (std::size_t offset = 0U; offset <= 12U; ++offset) {
        for (std::size_t count = 0U; count <= 12U; ++count) {
            const bool inside = (offset + count) <= bytes.size();
            EXPECT_EQ(span.contains(offset, count), inside) << offset << " " << count;
            EXPECT_EQ(span.subspan(offset, count).size(), inside ? count : 0U);
        }
    }
    EXPECT_FALSE(span.contains(1U, kHuge));
    EXPECT_FALSE(span.contains(kHuge, 1U));
    EXPECT_FALSE(span.contains(kHuge, kHuge));
    EXPECT_FALSE(span.contains(kHuge, 2U));
    EXPECT_TRUE(span.subspan(5U, kHuge).empty());
}

TEST(Span, SubspanShowsTheSameElements) {
    test::verifies({"swr~span-bounds~1"});
    std::array<std::uint32_t, 5> words{1U, 2U, 3U, 4U, 5U};
    const Span<std::uint32_t> all{words};
    const Span<std::uint32_t> part = all.subspan(1U, 3U);
    ASSERT_EQ(part.size(), 3U);
    part[0] = 9U;
    EXPECT_EQ(words[1], 9U);
    const WordSpan reading = part;
    EXPECT_EQ(reading[2], 4U);
    EXPECT_TRUE(Span<std::uint32_t>{}.empty());
    EXPECT_EQ(Span<std::uint32_t>{}.begin(), Span<std::uint32_t>{}.end());
}

// A cleared, or never written, word must not read as success.
TEST(Status, ValuesAreFarApart) {
    test::verifies({"swr~wide-status~1"});
    constexpr std::array kAll{Status::kOk,        Status::kInvalidArgument, Status::kInvalidState,
                              Status::kRefused,   Status::kCapacity,        Status::kBusy,
                              Status::kPending,   Status::kTimeout,         Status::kDeviceFault,
                              Status::kIntegrity, Status::kFaultLatched,    Status::kInternal};
    EXPECT_FALSE(is_ok(Status{}));
    for (const Status left : kAll) {
        EXPECT_EQ(is_ok(left), left == Status::kOk);
        for (const Status right : kAll) {
            const std::uint32_t difference = static_cast<std::uint32_t>(left) ^ static_cast<std::uint32_t>(right);
            EXPECT_TRUE((left == right) || (__builtin_popcount(difference) >= 8)) << std::hex << difference;
        }
    }
}

std::string text_of(const FieldPath& path, std::size_t room) {
    std::string buffer(room, '?');
    const std::size_t length = format_path(path, Span<char>{buffer.data(), buffer.size()});
    EXPECT_LT(length, room);
    EXPECT_EQ(buffer[length], '\0');
    return buffer.substr(0U, length);
}

TEST(FieldPath, PrintsNamesAndIndices) {
    test::verifies({"swr~verdict-starts-as-failure~1"});
    FieldPath path;
    EXPECT_EQ(text_of(path, 64U), "");
    path.enter("traces", 0U);
    path.enter("commands", 1234567890U);
    path.enter("dst");
    EXPECT_EQ(text_of(path, 64U), "traces[0].commands[1234567890].dst");

    FieldPath last_index;
    last_index.enter("programs", std::numeric_limits<std::uint32_t>::max() - 1U);
    EXPECT_EQ(text_of(last_index, 64U), "programs[4294967294]");
}

TEST(FieldPath, IsCutOffAtEveryLength) {
    test::verifies({"swr~verdict-starts-as-failure~1"});
    FieldPath path;
    path.enter("traces", 10U);
    path.enter("dst");
    const std::string whole = "traces[10].dst";
    for (std::size_t room = 1U; room <= (whole.size() + 2U); ++room) {
        EXPECT_EQ(text_of(path, room), whole.substr(0U, room - 1U)) << room;
    }
    EXPECT_EQ(format_path(path, Span<char>{}), 0U);
}

TEST(FieldPath, DropsDeeperSteps) {
    FieldPath path;
    const std::array<const char*, 7> names{"a", "b", "c", "d", "e", "f", "g"};
    static_assert(kMaxPathSteps == 5U);
    for (const char* const name : names) {
        path.enter(name);
    }
    EXPECT_EQ(text_of(path, 64U), "a.b.c.d.e");
}

TEST(Verdict, StartsAsAFailure) {
    test::verifies({"swr~verdict-starts-as-failure~1"});
    const Verdict verdict;
    EXPECT_FALSE(is_ok(verdict.status));
    EXPECT_EQ(verdict.rule, Rule::kNotRun);
}

}  // namespace
}  // namespace pianola
