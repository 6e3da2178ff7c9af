// Views of a device behind a cache: copies of its memory, which go there and come back only as the session says.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "tests/support/bench.h"
#include "tests/support/doubles.h"
#include "tests/support/trace_file.h"

namespace pianola::test {
namespace {

// A device behind a cache that writes nothing back by itself: views are copies of the device's memory, which go there
// and come back only as the session says.
class CachedDevice final : public ForwardingDevice {
  public:
    CachedDevice() : ForwardingDevice{device_} {}

    ~CachedDevice() = default;

    [[nodiscard]] sim::SimDevice& inner() noexcept { return device_; }
    [[nodiscard]] bool started_with_dirty_lines() const noexcept { return started_dirty_; }
    // What arrives in the device's memory of byte `index` of a view; `old` is what is there. Without one, the byte
    // itself.
    using Carry = std::uint8_t (*)(std::size_t index, std::size_t size, std::uint8_t byte, std::uint8_t old);
    void set_carry(Carry carry, std::uint8_t fill) noexcept {
        carry_ = carry;
        fill_ = fill;
    }

    Status ring_doorbell(std::uint32_t queue) noexcept override {
        for (const Line& line : lines_) {
            started_dirty_ = started_dirty_ || (line.bytes != line.known);
        }
        return device_.ring_doorbell(queue);
    }
    [[nodiscard]] MutableByteSpan host_view(std::uint32_t address, std::uint32_t size_bytes) noexcept override {
        Line& line = lines_.emplace_back();
        line.memory = device_.host_view(address, size_bytes);
        line.bytes.assign(size_bytes, fill_);  // what was there before is not what the device has
        line.known = line.bytes;
        return {line.bytes.data(), line.bytes.size()};
    }
    void give_to_device(ByteSpan view) noexcept override {
        Line& line = line_of(view.data());
        const std::size_t offset = offset_in(line, view.data());
        for (std::size_t i = offset; i < (offset + view.size()); ++i) {
            const std::uint8_t byte = line.bytes.at(i);
            line.memory[i] = (carry_ == nullptr) ? byte : carry_(i, line.bytes.size(), byte, line.memory[i]);
            line.known.at(i) = byte;
        }
        device_.give_to_device(line.memory.subspan(offset, view.size()));
    }
    void take_from_device(MutableByteSpan view) noexcept override {
        Line& line = line_of(view.data());
        const std::size_t offset = offset_in(line, view.data());
        for (std::size_t i = offset; i < (offset + view.size()); ++i) {
            line.bytes.at(i) = line.memory[i];
            line.known.at(i) = line.memory[i];
        }
    }

  private:
    struct Line {
        MutableByteSpan memory;
        std::vector<std::uint8_t> bytes;
        std::vector<std::uint8_t> known;  // to memory
    };
    [[nodiscard]] static std::size_t offset_in(const Line& line, const std::uint8_t* view) {
        return static_cast<std::size_t>(view - line.bytes.data());
    }
    [[nodiscard]] Line& line_of(const std::uint8_t* view) {
        return *std::find_if(lines_.begin(), lines_.end(), [&](const Line& line) {
            return (view >= line.bytes.data()) && (view < (line.bytes.data() + line.bytes.size()));
        });
    }

    sim::SimDevice device_{small_options()};
    std::deque<Line> lines_;
    bool started_dirty_{false};
    Carry carry_{nullptr};
    std::uint8_t fill_{0xEEU};
};

class CachedViews : public testing::Test {
  protected:
    void load() {
        PlanWorkspace& workspace = *workspace_;
        Verdict verdict;
        ASSERT_EQ(session_.load(file_.view(), workspace, verdict), Status::kOk);
        ASSERT_TRUE(session_.has_views());
    }
    std::vector<std::uint8_t> input() {
        MutableByteSpan view;
        EXPECT_EQ(session_.input_view(0U, view), Status::kOk);
        return {view.begin(), view.end()};
    }
    std::vector<std::uint8_t> output() {
        ByteSpan view;
        EXPECT_EQ(session_.output_view(0U, view), Status::kOk);
        return {view.begin(), view.end()};
    }
    void write(const std::vector<std::uint8_t>& bytes) {
        MutableByteSpan view;
        ASSERT_EQ(session_.input_view(0U, view), Status::kOk);
        std::copy(bytes.begin(), bytes.end(), view.begin());
    }
    void step_on_views() {
        ASSERT_EQ(session_.submit(), Status::kOk);
        ASSERT_EQ(session_.wait(), Status::kOk);
        EXPECT_FALSE(device_.started_with_dirty_lines());
    }

    files::AlignedBytes file_{make_small_workload(1U, 1U).file()};
    CachedDevice device_;
    sim::SimPlatform platform_{device_.inner()};
    refdev::RefdevCommandSet command_set_;
    Session session_{device_, platform_, command_set_, kDevelopmentConfig};
    std::unique_ptr<PlanWorkspace> workspace_{std::make_unique<PlanWorkspace>()};
};

TEST_F(CachedViews, StartAsZeros) {
    load();
    EXPECT_EQ(input(), std::vector<std::uint8_t>(kWorkloadBytes));
    step_on_views();
    EXPECT_EQ(output(), workload_output(std::vector<std::uint8_t>(kWorkloadBytes)));
}

TEST_F(CachedViews, HoldWhatASelfTestTookAndGave) {
    load();
    write(workload_input(7U));  // which the self-test writes over
    std::vector<std::uint8_t> scratch(kWorkloadBytes);
    ASSERT_EQ(session_.self_test({scratch.data(), scratch.size()}), Status::kOk);
    EXPECT_FALSE(device_.started_with_dirty_lines());
    EXPECT_EQ(input(), workload_input(1U));
    EXPECT_EQ(output(), workload_output(workload_input(1U)));
    step_on_views();
    EXPECT_EQ(output(), workload_output(workload_input(1U)));
    write(workload_input(9U));
    step_on_views();
    EXPECT_EQ(input(), workload_input(9U));
    EXPECT_EQ(output(), workload_output(workload_input(9U)));
}

// A view is offered only where both its ends are the device's memory, bit for bit.
TEST(ViewsOfOtherMemory, AreNotOffered) {
    struct Case {
        const char* name;
        CachedDevice::Carry carry;
        std::uint8_t fill;
        bool has_views;
    };
    constexpr std::uint8_t kFill = 0xEEU;
    const std::array<Case, 5> cases{{
        {"all of it arrives", [](auto, auto, auto byte, auto) { return byte; }, kFill, true},
        {"nothing arrives", [](auto, auto, auto, auto old) { return old; }, kFill, false},
        {"the first half arrives",
         [](auto index, auto size, auto byte, auto old) { return (index < (size / 2U)) ? byte : old; }, kFill, false},
        {"the second half arrives",
         [](auto index, auto size, auto byte, auto old) { return (index < (size / 2U)) ? old : byte; }, kFill, false},
        {"neighbouring bits are swapped",
         [](auto, auto, auto byte, auto) {
             constexpr unsigned kEven = 0x55U;
             return static_cast<std::uint8_t>(((byte & kEven) << 1U) | ((byte >> 1U) & kEven));
         },
         0U, false},
    }};
    const files::AlignedBytes file{make_small_workload(1U).file()};
    for (const Case& each : cases) {
        CachedDevice device;
        device.set_carry(each.carry, each.fill);
        sim::SimPlatform platform{device.inner()};
        const refdev::RefdevCommandSet command_set;
        Session session{device, platform, command_set, kDevelopmentConfig};
        const auto workspace = std::make_unique<PlanWorkspace>();
        Verdict verdict;
        ASSERT_EQ(session.load(file.view(), *workspace, verdict), Status::kOk) << each.name;
        EXPECT_EQ(session.has_views(), each.has_views) << each.name;
    }
}

}  // namespace
}  // namespace pianola::test
