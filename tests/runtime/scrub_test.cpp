// The comparison of what lies on the device with what lies in the file: every size and place, and where it notices a
// difference.
#include "pianola/scrub.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "pianola/bytes.h"
#include "tests/campaign/hooked_device.h"
#include "tests/support/random.h"

namespace pianola::test {
namespace {

using campaign::Call;

class Scrub : public testing::Test {
  protected:
    static constexpr std::uint32_t kFileBytes = 4096U;
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
    Status compare() { return compare_slice(devices_, source_, cursor_, address_); }
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
    ConstantRanges constants_;
    ParameterValues values_;
    campaign::HookedDevice device_{sim::SimOptions{}};
    campaign::HookedDevice second_{sim::SimOptions{}};
    std::array<Device*, 2> both_{&device_, &second_};
    Devices devices_{both_.data(), 1U};
    std::uint32_t base_{0U};
    ScrubSource source_{ByteSpan{file_.data(), file_.size()}, *plan_, constants_, values_};
    ScrubCursor cursor_;
    std::uint32_t address_{0U};
    std::uint32_t suspect_{0U};
};

TEST_F(Scrub, OfNothingFindsNothing) {
    use(0U);
    EXPECT_EQ(compare(), Status::kOk);
}

TEST_F(Scrub, FindsEveryChangedByteOfEverySize) {
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
                EXPECT_LE(address_ - base_, at) << "names the piece that it is in";
                EXPECT_LT(at, (address_ - base_) + 64U);
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
    place(1U, 8192U, 128U, 12U);
    use(2U);
    for (std::uint32_t round = 0U; round < 2U; ++round) {
        std::uint32_t slices = 0U;
        EXPECT_EQ(compare_all(slices), Status::kOk);
        EXPECT_EQ(slices, 4U);
    }
    *device_.inner().memory_at(base_ + kLong - 1U, 1U) ^= 1U;
    EXPECT_EQ(compare(), Status::kPending);
    EXPECT_EQ(compare(), Status::kPending);
    EXPECT_EQ(compare(), Status::kIntegrity);
}

TEST_F(Scrub, KnowsTheWordsOfParametersThatAreSet) {
    place(0U, 0U, 64U, 128U);
    plan_->parameter_count = 2U;
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
}

TEST_F(Scrub, SaysThatItCouldNotRead) {
    place(0U, 0U, 64U, 128U);
    device_.set_hook([](Call call, std::uint32_t /*number*/) {
        return (call == Call::kReadBack) ? std::optional<Status>{Status::kTimeout} : std::nullopt;
    });
    EXPECT_EQ(compare(), Status::kDeviceFault);
}

// Two ranges may come from the same bytes of the file, and then hold the same.
TEST_F(Scrub, AuthenticatesWhatEveryRangeHolds) {
    Envelope envelope;
    envelope.total_bytes = kFileBytes;
    envelope.signature_bytes = 0U;
    envelope.digest = envelope_digest(ByteSpan{file_.data(), file_.size()});
    place(0U, 0U, 256U, 300U);
    place(1U, 8192U, 320U, 300U);
    use(2U);
    const ByteSpan file{file_.data(), file_.size()};
    EXPECT_EQ(authenticate_constants(devices_, file, envelope, constants_, suspect_), Status::kOk);
    for (const std::uint32_t changed : {0U, 100U, 299U, 8192U, 8192U + 100U, 8192U + 299U}) {
        *device_.inner().memory_at(base_ + changed, 1U) ^= 1U;
        EXPECT_EQ(authenticate_constants(devices_, file, envelope, constants_, suspect_), Status::kIntegrity)
            << changed;
        *device_.inner().memory_at(base_ + changed, 1U) ^= 1U;
    }
    device_.set_hook([](Call call, std::uint32_t /*number*/) {
        return (call == Call::kReadBack) ? std::optional<Status>{Status::kTimeout} : std::nullopt;
    });
    EXPECT_EQ(authenticate_constants(devices_, file, envelope, constants_, suspect_), Status::kDeviceFault);
}

// Of several devices, the first that has something else than the file is named, be it the only one or not.
TEST_F(Scrub, NamesTheDeviceThatDiffers) {
    constexpr DeviceBits kBoth = 3U;
    devices_ = Devices{both_.data(), 2U};
    Envelope envelope;
    envelope.total_bytes = kFileBytes;
    envelope.signature_bytes = 0U;
    envelope.digest = envelope_digest(ByteSpan{file_.data(), file_.size()});
    place(0U, 0U, 256U, 300U);
    constants_.ranges[0].devices = kBoth;
    std::copy_n(file_.begin() + 256, 300U, second_.inner().memory_at(base_, 300U));
    const ByteSpan file{file_.data(), file_.size()};
    EXPECT_EQ(authenticate_constants(devices_, file, envelope, constants_, suspect_), Status::kOk);
    EXPECT_EQ(suspect_, 2U);
    *second_.inner().memory_at(base_ + 70U, 1U) ^= 1U;
    EXPECT_EQ(authenticate_constants(devices_, file, envelope, constants_, suspect_), Status::kIntegrity);
    EXPECT_EQ(suspect_, 1U);
    *device_.inner().memory_at(base_ + 70U, 1U) ^= 1U;  // both alike
    EXPECT_EQ(authenticate_constants(devices_, file, envelope, constants_, suspect_), Status::kIntegrity);
    EXPECT_EQ(suspect_, 0U);
    // Slices: every byte of every device, each device's in turn.
    std::uint32_t slices = 0U;
    EXPECT_EQ(compare_all(slices), Status::kIntegrity);
    EXPECT_EQ(cursor_.device, 0U);
    *device_.inner().memory_at(base_ + 70U, 1U) ^= 1U;
    cursor_ = ScrubCursor{};
    EXPECT_EQ(compare_all(slices), Status::kIntegrity);
    EXPECT_EQ(cursor_.device, 1U);
    EXPECT_EQ(slices, 2U);
    // A range that no device has is not looked for behind the last of them.
    constants_.ranges[0].devices = 0U;
    cursor_ = ScrubCursor{};
    EXPECT_EQ(compare(), Status::kIntegrity);
    EXPECT_EQ(cursor_.device, 1U);
}

}  // namespace
}  // namespace pianola::test
