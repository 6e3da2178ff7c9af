// The comparison of what lies on the device with the checks of the file: every size and place, and where it notices a
// difference.
#include "pianola/scrub.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "pianola/bytes.h"
#include "tests/campaign/hooked_device.h"
#include "tests/support/random.h"
#include "tests/support/verifies.h"

namespace pianola::test {
namespace {

using campaign::Call;

class Scrub : public testing::Test {
  protected:
    static constexpr std::uint32_t kFileBytes = 4U * kScrubSliceBytes;
    static constexpr DeviceBits kFirst = 1U;

    Scrub() : file_(kFileBytes), plan_{std::make_unique<Plan>()} {
        Random random{7U};
        std::generate(file_.begin(), file_.end(), [&random] { return random.byte(); });
        use(1U);
        base_ = refdev::DeviceSpec{}.dram_base;
    }
    void use(std::uint32_t ranges) {
        constants_.count = ranges;
        constants_.kept_count = ranges;
    }
    // The range lies on the device as it lies in the file.
    void place(std::uint32_t index, std::uint32_t address, std::uint32_t file_offset, std::uint32_t bytes) {
        constants_.ranges[index] = ConstantRange{base_ + address, file_offset, bytes, kFirst};
        std::copy_n(file_.begin() + file_offset, bytes, device_.inner().memory_at(base_ + address, bytes));
    }
    // The checks are those of the file, whatever the device holds.
    Status compare(std::uint32_t limit_bytes = kScrubSliceBytes) {
        checks_.clear();
        for (std::uint32_t i = 0U; i < constants_.count; ++i) {
            const ConstantRange& range = constants_.ranges[i];
            for (std::uint32_t done = 0U; done < range.size_bytes; done += kCheckedBytes) {
                const std::uint32_t bytes = std::min(kCheckedBytes, range.size_bytes - done);
                const std::uint64_t sum = slice_sum(file_view().subspan(range.file_offset + done, bytes));
                for (std::uint32_t k = 0U; k < kCheckBytes; ++k) {
                    checks_.push_back(static_cast<std::uint8_t>(sum >> (8U * k)));
                }
            }
        }
        const ScrubSource source{devices_, file_view(), ByteSpan{checks_.data(), checks_.size() - lost_bytes_}, *plan_,
                                 values_};
        return compare_slices(source, constants_.kept_count, limit_bytes, cursor_, address_);
    }
    [[nodiscard]] ByteSpan file_view() const { return ByteSpan{file_.data(), file_.size()}; }
    // Until it has been round, or has found something; how many slices that took.
    Status compare_all(std::uint32_t& slices) {
        Status status = Status::kPending;
        for (slices = 0U; status == Status::kPending; ++slices) {
            status = compare();
        }
        return status;
    }

    std::vector<std::uint8_t> file_;
    std::unique_ptr<Plan> plan_;
    ConstantRanges& constants_ = plan_->constants;
    ParameterValues values_;
    campaign::HookedDevice device_{sim::SimOptions{}};
    campaign::HookedDevice second_{sim::SimOptions{}};
    std::array<Device*, 2> both_{&device_, &second_};
    Devices devices_{both_.data(), 1U};
    std::uint32_t base_{0U};
    std::vector<std::uint8_t> checks_;
    std::size_t lost_bytes_{0U};  // of the checks
    ScrubCursor cursor_;
    std::uint32_t address_{0U};
};

TEST_F(Scrub, OfNothingFindsNothing) {
    use(0U);
    EXPECT_EQ(compare(), Status::kOk);
}

TEST_F(Scrub, FindsEveryChangedByteOfEverySize) {
    verifies({"swr~verified-release~1"});
    for (std::uint32_t bytes = 1U; bytes <= 140U; ++bytes) {
        for (const std::uint32_t file_offset : {64U, 66U}) {
            place(0U, 0U, file_offset, bytes);
            std::uint32_t slices = 0U;
            ASSERT_EQ(compare_all(slices), Status::kOk) << bytes;
            EXPECT_EQ(slices, ((bytes - 1U) / kScrubSliceBytes) + 1U);
            for (const std::uint32_t at : {0U, bytes / 2U, bytes - 1U}) {
                cursor_ = ScrubCursor{};
                *device_.inner().memory_at(base_ + at, 1U) ^= 0x10U;
                ASSERT_EQ(compare_all(slices), Status::kIntegrity) << bytes << ' ' << at;
                EXPECT_EQ(address_, base_) << "names the slice that it is in";
                *device_.inner().memory_at(base_ + at, 1U) ^= 0x10U;
                cursor_ = ScrubCursor{};
            }
        }
    }
}

TEST_F(Scrub, GoesOnWhereItStoppedAndThenFromTheStart) {
    constexpr std::uint32_t kLong = (2U * kScrubSliceBytes) + 8U;
    static_assert((64U + kLong) <= kFileBytes);
    place(0U, 0U, 64U, kLong);
    place(1U, kFileBytes, 128U, 12U);
    use(2U);
    EXPECT_EQ(scrub_calls(constants_), 3U) << "the last one has room for both";
    for (std::uint32_t round = 0U; round < 2U; ++round) {
        std::uint32_t slices = 0U;
        EXPECT_EQ(compare_all(slices), Status::kOk);
        EXPECT_EQ(slices, 3U);
    }
    *device_.inner().memory_at(base_ + kLong - 1U, 1U) ^= 1U;
    EXPECT_EQ(compare(), Status::kPending);
    EXPECT_EQ(compare(), Status::kPending);
    EXPECT_EQ(compare(), Status::kIntegrity);
}

// However many ranges of whatever sizes: the slices are as many as are said, and none has more than its pieces.
TEST_F(Scrub, TakesAsManySlicesAsItSays) {
    verifies({"swr~verified-release~1"});
    constexpr std::uint32_t kRanges = kMaxScriptCommands;
    constexpr std::uint32_t kPieces = 64U;  // of a slice, at most
    constexpr std::uint32_t kChunk = SliceSum::kBlockBytes;
    Random random{11U};
    for (std::uint32_t trial = 0U; trial < 40U; ++trial) {
        use(1U + random.below(kRanges));
        const std::uint32_t longest = (trial % 2U == 0U) ? 96U : kScrubSliceBytes;
        std::uint32_t taken = 0U;
        for (std::uint32_t i = 0U; i < constants_.count; ++i) {
            const std::uint32_t bytes = 1U + random.below(longest);
            place(i, i * kScrubSliceBytes, 4U * random.below(16U), bytes);
            for (std::uint32_t done = 0U; done < bytes; done += kCheckedBytes) {
                const std::uint32_t chunks = (std::min(kCheckedBytes, bytes - done) + kChunk - 1U) / kChunk;
                taken += std::max(chunks * kChunk, kScrubSliceBytes / kPieces);
            }
        }
        std::uint32_t looked = 0U;
        device_.set_hook([&looked](Call call, std::uint32_t /*number*/) {
            looked += (call == Call::kHostView) ? 1U : 0U;
            return std::optional<Status>{};
        });
        std::uint32_t slices = 0U;
        Status status = Status::kPending;
        while (status == Status::kPending) {
            looked = 0U;
            status = compare();
            slices += 1U;
            EXPECT_LE(looked, kPieces);
        }
        EXPECT_EQ(status, Status::kOk);
        EXPECT_EQ(slices, scrub_calls(constants_));
        EXPECT_GE(slices, ((taken - 1U) / (kScrubSliceBytes + kCheckedBytes)) + 1U) << "a slice more at most";
        EXPECT_LE(slices, (taken / kScrubSliceBytes) + 2U);
    }
}

// Where this core sees the device's memory, nothing is copied; what it does not see, or sees differently, is read back.
TEST_F(Scrub, ReadsBackWhatItDoesNotSee) {
    constexpr std::uint32_t kBytes = 256U;
    place(0U, 0U, 64U, kBytes);
    std::uint32_t read = 0U;
    device_.set_hook([&read](Call call, std::uint32_t /*number*/) {
        read += (call == Call::kReadBack) ? 1U : 0U;
        return std::optional<Status>{};
    });
    EXPECT_EQ(compare(), Status::kOk);
    EXPECT_EQ(read, 0U);
    place(0U, 2U, 64U, kBytes);
    EXPECT_EQ(compare(), Status::kOk) << "a view of words that are not aligned";
    EXPECT_EQ(read, kBytes / 128U);
    place(0U, 0U, 66U, kBytes);
    EXPECT_EQ(compare(), Status::kOk) << "wherever it lies in the file";
    EXPECT_EQ(read, kBytes / 128U);
    sim::SimOptions hidden;
    hidden.memory_is_visible = false;
    campaign::HookedDevice behind{hidden};
    both_[0] = &behind;
    place(0U, 0U, 64U, kBytes);
    std::copy_n(file_.begin() + 64U, kBytes, behind.inner().memory_at(base_, kBytes));
    EXPECT_EQ(compare(), Status::kOk);
    *behind.inner().memory_at(base_ + 200U, 1U) ^= 1U;
    EXPECT_EQ(compare(), Status::kIntegrity);
    EXPECT_EQ(address_, base_);
}

// The proofs have placed every range inside the file. One that damage has moved out of it is not equal to nothing.
TEST_F(Scrub, ARangeOutsideTheFileDiffers) {
    place(0U, 0U, 64U, 128U);
    constants_.ranges[0].file_offset = kFileBytes - 64U;
    EXPECT_EQ(compare(), Status::kIntegrity);
}

// The same of the checks.
TEST_F(Scrub, ASliceWithoutACheckDiffers) {
    verifies({"swr~authenticated-constants~2"});
    place(0U, 0U, 64U, kCheckedBytes + 1U);
    std::uint32_t slices = 0U;
    EXPECT_EQ(compare_all(slices), Status::kOk);
    for (lost_bytes_ = 1U; lost_bytes_ <= (std::size_t{2U} * kCheckBytes); ++lost_bytes_) {
        cursor_ = ScrubCursor{};
        EXPECT_EQ(compare_all(slices), Status::kIntegrity) << lost_bytes_;
    }
}

// Each slice has its own: two that are exchanged on the device differ, and so do two whose checks are.
TEST_F(Scrub, ASliceHasTheCheckOfItsPlace) {
    constexpr std::uint32_t kSlices = 5U;
    place(0U, 0U, 64U, kSlices * kCheckedBytes);
    std::uint32_t slices = 0U;
    for (std::uint32_t one = 0U; one < kSlices; ++one) {
        for (std::uint32_t other = one + 1U; other < kSlices; ++other) {
            std::uint8_t* const first = device_.inner().memory_at(base_ + (one * kCheckedBytes), kCheckedBytes);
            std::uint8_t* const second = device_.inner().memory_at(base_ + (other * kCheckedBytes), kCheckedBytes);
            std::swap_ranges(first, first + kCheckedBytes, second);
            cursor_ = ScrubCursor{};
            EXPECT_EQ(compare_all(slices), Status::kIntegrity);
            EXPECT_EQ(address_, base_ + (one * kCheckedBytes));
            std::swap_ranges(first, first + kCheckedBytes, second);
        }
    }
}

// A caller's limit shares a comparison among calls: none takes a slice more than its share, and all of them are as many
// as are said, and no more than the shares.
TEST_F(Scrub, SharesAComparisonAmongCalls) {
    Random random{13U};
    for (std::uint32_t trial = 0U; trial < 60U; ++trial) {
        use(1U + random.below(4U));
        for (std::uint32_t i = 0U; i < constants_.count; ++i) {
            place(i, i * kScrubSliceBytes, 4U * random.below(16U), 1U + random.below(kScrubSliceBytes));
        }
        const std::uint32_t shares = 1U + random.below(9U);
        const auto limit = static_cast<std::uint32_t>((scrub_bytes(constants_) + shares - 1U) / shares);
        std::uint32_t calls = 0U;
        Status status = Status::kPending;
        while (status == Status::kPending) {
            status = compare(limit);
            calls += 1U;
        }
        EXPECT_EQ(status, Status::kOk);
        EXPECT_EQ(calls, scrub_calls(constants_, limit));
        EXPECT_LE(calls, shares);
    }
}

TEST_F(Scrub, KnowsTheWordsOfParametersThatAreSet) {
    place(0U, 0U, 64U, 128U);
    plan_->parameter_count = 2U;
    plan_->patch_count = 3U;
    plan_->trace_region_base = base_;
    plan_->parameters[0].first_point = 0U;
    plan_->parameters[0].point_count = 1U;
    plan_->parameters[1].first_point = 1U;
    plan_->parameters[1].point_count = 2U;
    plan_->patch_addresses[0] = base_ + 4U;
    plan_->patch_addresses[1] = base_ + 60U;
    plan_->patch_addresses[2] = base_ + 64U;
    std::uint32_t slices = 0U;
    EXPECT_EQ(compare_all(slices), Status::kOk) << "none is set";
    values_.is_set[1] = true;
    values_.value[1] = load_le32(ByteSpan{file_.data(), file_.size()}, 64U + 60U) ^ 0xFFU;
    EXPECT_EQ(compare_all(slices), Status::kIntegrity) << "and the device does not hold it";
    cursor_ = ScrubCursor{};
    for (const std::uint32_t at : {60U, 64U}) {
        std::memcpy(device_.inner().memory_at(base_ + at, 4U), &values_.value[1], 4U);
    }
    EXPECT_EQ(compare_all(slices), Status::kOk);
    // What is no trace has no such words, and is looked at in place.
    place(0U, 0U, 64U, 128U);
    plan_->trace_region_base = base_ + 128U;
    values_.is_set[1] = false;
    std::uint32_t read = 0U;
    device_.set_hook([&read](Call call, std::uint32_t /*number*/) {
        read += (call == Call::kReadBack) ? 1U : 0U;
        return std::optional<Status>{};
    });
    EXPECT_EQ(compare_all(slices), Status::kOk);
    EXPECT_EQ(read, 0U);
}

// What is in front of a trace takes any part of a slice, so that the trace begins with any rest of it.
TEST_F(Scrub, KnowsTheWordsOfParametersBehindConstantsOfEverySize) {
    constexpr std::uint32_t kTrace = 128U;
    constexpr std::uint32_t kTraceAt = 2U * kScrubSliceBytes;
    use(2U);
    plan_->parameter_count = 1U;
    plan_->patch_count = kTrace / 4U;
    plan_->trace_region_base = base_ + kTraceAt;
    plan_->parameters[0].point_count = kTrace / 4U;
    for (std::uint32_t i = 0U; i < (kTrace / 4U); ++i) {
        plan_->patch_addresses[i] = base_ + kTraceAt + (4U * i);
    }
    values_.is_set[0] = true;
    values_.value[0] = 0x12345678U;
    for (std::uint32_t bytes = kScrubSliceBytes - (2U * kTrace); bytes <= kScrubSliceBytes; ++bytes) {
        place(0U, 0U, 0U, bytes);
        place(1U, kTraceAt, kTraceAt, kTrace);
        for (std::uint32_t at = 0U; at < kTrace; at += 4U) {
            std::memcpy(device_.inner().memory_at(base_ + kTraceAt + at, 4U), values_.value.data(), 4U);
        }
        cursor_ = ScrubCursor{};
        std::uint32_t slices = 0U;
        EXPECT_EQ(compare_all(slices), Status::kOk) << bytes;
        EXPECT_EQ(slices, scrub_calls(constants_)) << bytes;
        *device_.inner().memory_at(base_ + kTraceAt + kTrace - 1U, 1U) ^= 1U;
        EXPECT_EQ(compare_all(slices), Status::kIntegrity) << bytes;
    }
}

TEST_F(Scrub, SaysThatItCouldNotRead) {
    place(0U, 0U, 64U, 128U);
    device_.set_hook([](Call call, std::uint32_t /*number*/) {  // of a view, no is an answer
        return ((call == Call::kReadBack) || (call == Call::kHostView)) ? std::optional<Status>{Status::kTimeout}
                                                                        : std::nullopt;
    });
    EXPECT_EQ(compare(), Status::kDeviceFault);
}

// Every byte of every device, each device's in turn. Two ranges may come from the same bytes of the file.
TEST_F(Scrub, NamesTheDeviceThatDiffers) {
    constexpr DeviceBits kBoth = 3U;
    devices_ = Devices{both_.data(), 2U};
    use(2U);
    for (const std::uint32_t file_offset : {256U, 258U}) {  // in the file, words may lie anywhere
        place(0U, 0U, file_offset, 300U);
        place(1U, 8192U, file_offset, 300U);
        constants_.ranges[0].devices = kBoth;
        std::copy_n(file_.begin() + file_offset, 300U, second_.inner().memory_at(base_, 300U));
        std::uint32_t slices = 0U;
        cursor_ = ScrubCursor{};
        EXPECT_EQ(compare_all(slices), Status::kOk);
        *device_.inner().memory_at(base_ + 70U, 1U) ^= 1U;
        *second_.inner().memory_at(base_ + 70U, 1U) ^= 1U;
        EXPECT_EQ(compare_all(slices), Status::kIntegrity);
        EXPECT_EQ(cursor_.device, 0U);
        *device_.inner().memory_at(base_ + 70U, 1U) ^= 1U;
        cursor_ = ScrubCursor{};
        EXPECT_EQ(compare_all(slices), Status::kIntegrity);
        EXPECT_EQ(cursor_.device, 1U);
        EXPECT_EQ(slices, 1U);
        *second_.inner().memory_at(base_ + 70U, 1U) ^= 1U;
        *device_.inner().memory_at(base_ + 8192U + 299U, 1U) ^= 1U;
        cursor_ = ScrubCursor{};
        EXPECT_EQ(compare_all(slices), Status::kIntegrity);
        EXPECT_EQ(cursor_.range, 1U);
    }
    // A range that no device has is not looked for behind the last of them.
    constants_.ranges[0].devices = 0U;
    *second_.inner().memory_at(base_ + 70U, 1U) ^= 1U;
    cursor_ = ScrubCursor{};
    EXPECT_EQ(compare(), Status::kIntegrity);
    EXPECT_EQ(cursor_.device, 1U);
    *second_.inner().memory_at(base_ + 70U, 1U) ^= 1U;
    // Nor one that more devices have than there are.
    constants_.ranges[0].devices = 7U;
    cursor_ = ScrubCursor{};
    std::uint32_t slices = 0U;
    EXPECT_EQ(compare_all(slices), Status::kIntegrity);
    EXPECT_EQ(cursor_.device, 2U);
}

}  // namespace
}  // namespace pianola::test
