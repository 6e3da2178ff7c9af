// Views are offered exactly where a step gives the same without its transfers, and what speaks against them is named.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>

#include "capture_host/cli/cli.h"
#include "hal/devices/refdev/command_encoding.h"
#include "tests/proofs/patterns.h"
#include "tests/support/bench.h"
#include "tests/support/trace_file.h"

namespace pianola::test {
namespace {

constexpr std::uint32_t kOutput = kMaxInputs;  // number of the first output among the tensors
constexpr ByteRange kIn{0U, 4U};
constexpr ByteRange kOut{16U, 4U};
constexpr ByteRange kMiddle{32U, 4U};

SmallStep copy(ByteRange target, ByteRange source) {
    return {SmallStep::Kind::kCopy, target, source.first, 0U, 0U};
}
SmallStep fill(ByteRange target) {
    return {SmallStep::Kind::kFill, target, 0U, 0x5AU, 0U};
}

// An input that is copied to an output. Memory is shared, so that anything may touch anything.
SmallCase plain_case() {
    SmallCase small;
    small.shared = true;
    small.inputs = {kIn};
    small.outputs = {kOut};
    small.traces = {{copy(kOut, kIn)}};
    small.step = {write_input(0U, 0U), replay(0U, 0U), read_output(0U, 0U)};
    return small;
}

struct ViewsCase {
    const char* name;
    ViewsAnswer answer;
    std::uint32_t tensor;
    std::uint32_t command;  // of the plan: prologue, step, epilogue
    std::function<void(SmallCase&)> change;
};

void PrintTo(const ViewsCase& each, std::ostream* out) {
    *out << each.name;
}

const std::vector<ViewsCase>& views_cases() {
    static const std::vector<ViewsCase> kCases{
        {"Plain", ViewsAnswer::kProved, 0U, 0U, [](SmallCase&) {}},
        {"TwoInFlight", ViewsAnswer::kStepsOverlap, 0U, 0U, [](SmallCase& small) { small.in_flight = 2U; }},
        {"Pipelined", ViewsAnswer::kStepsOverlap, 0U, 0U,
         [](SmallCase& small) {
             small.prologue = Commands{write_input(0U, 0U)};
             small.step = {replay(0U, 0U), write_input(0U, 0U), read_output(0U, 0U)};
             small.epilogue = Commands{replay(0U, 0U), read_output(0U, 0U)};
         }},
        {"OneTensorIsInputAndOutput", ViewsAnswer::kShared, kOutput, 2U,
         [](SmallCase& small) {
             small.outputs = {kIn};
             small.traces = {{copy(kMiddle, kIn)}};
         }},
        {"TensorsShareAByte", ViewsAnswer::kShared, kOutput, 2U,
         [](SmallCase& small) {
             small.outputs = {{kIn.first + kIn.count - 1U, 1U}};
             small.traces = {{copy(kMiddle, kIn)}};
         }},
        {"TensorsTouch", ViewsAnswer::kProved, 0U, 0U,
         [](SmallCase& small) {
             small.outputs = {{kIn.first + kIn.count, kIn.count}};
             small.traces = {{copy(small.outputs.front(), kIn)}};
         }},
        {"TheStepWritesItsInput", ViewsAnswer::kInputWritten, 0U, 1U,
         [](SmallCase& small) { small.traces.front().push_back(fill({kIn.first, 1U})); }},
        {"TheStepWritesItsSecondInput", ViewsAnswer::kInputWritten, 1U, 2U,
         [](SmallCase& small) {
             small.inputs.push_back({kIn.first + kIn.count, 2U});
             small.traces.front().push_back(fill({kIn.first + kIn.count, 1U}));
             small.step.insert(small.step.begin(), write_input(0U, 1U));
         }},
        {"TheStepWritesBesideItsInput", ViewsAnswer::kProved, 0U, 0U,
         [](SmallCase& small) { small.traces.front().push_back(fill({kIn.first + kIn.count, 1U})); }},
        {"ThePrologueWritesAnInput", ViewsAnswer::kInputWritten, 0U, 0U,
         [](SmallCase& small) {
             small.traces.push_back({fill({kIn.first + 1U, 1U})});
             small.prologue = Commands{replay(0U, 1U)};
         }},
        {"TheEpilogueWritesAnInput", ViewsAnswer::kInputWritten, 0U, 3U,
         [](SmallCase& small) {
             small.traces.push_back({fill(kIn)});
             small.epilogue = Commands{replay(0U, 1U)};
         }},
        {"TheEpilogueReadsAnInput", ViewsAnswer::kInputRead, 0U, 3U,
         [](SmallCase& small) {
             small.traces.push_back({copy(kMiddle, kIn)});
             small.epilogue = Commands{replay(0U, 1U)};
         }},
        {"AnOutputIsScratchAfterwards", ViewsAnswer::kOutputWritten, kOutput, 3U,
         [](SmallCase& small) {
             small.traces.push_back({fill({kOut.first, 1U})});
             small.step.push_back(replay(0U, 1U));
         }},
        {"TheSecondOutputIsScratchAfterwards", ViewsAnswer::kOutputWritten, kOutput + 1U, 3U,
         [](SmallCase& small) {
             small.outputs.push_back({kOut.first + kOut.count, 2U});
             small.traces.front().push_back(copy(small.outputs.back(), kIn));
             small.traces.push_back({fill(kOut), fill(small.outputs.back())});
             small.step = {write_input(0U, 0U), replay(0U, 0U), read_output(0U, 1U), replay(0U, 1U),
                           read_output(0U, 0U)};
         }},
        {"AnOutputIsScratchOnTheOtherQueue", ViewsAnswer::kOutputWritten, kOutput, 5U,
         [](SmallCase& small) {
             small.traces.push_back({fill(kOut)});
             small.step = {write_input(0U, 0U), replay(0U, 0U), read_output(0U, 0U),
                           record(0U, 0U),      wait(1U, 0U),   replay(1U, 1U)};
         }},
        {"AnOutputIsReadOnTheOtherQueue", ViewsAnswer::kProved, 0U, 0U,
         [](SmallCase& small) {
             small.step = {write_input(0U, 0U), replay(0U, 0U), record(0U, 0U), wait(1U, 0U), read_output(1U, 0U)};
         }},
        // The trace has had its only visit by the data flow when the step replays it.
        {"ATraceOfThePrologueOverwritesAnOutput", ViewsAnswer::kOutputWritten, kOutput, 4U,
         [](SmallCase& small) {
             small.traces.push_back({fill(kOut)});
             small.prologue = Commands{replay(0U, 1U)};
             small.step.push_back(replay(0U, 1U));
         }},
        {"AnOutputIsWrittenInThePrologueOnly", ViewsAnswer::kProved, 0U, 0U,
         [](SmallCase& small) {
             small.traces = {{copy(kMiddle, kIn)}, {fill(kOut)}};
             small.prologue = Commands{replay(0U, 1U)};
         }},
        {"AnOutputIsScratchInTheEpilogue", ViewsAnswer::kProved, 0U, 0U,
         [](SmallCase& small) {
             small.traces.push_back({fill(kOut)});
             small.epilogue = Commands{replay(0U, 1U)};
         }},
        {"AnOutputKeepsWhatAStepLeft", ViewsAnswer::kOutputWritten, kOutput, 3U,
         [](SmallCase& small) {
             small.traces.push_back({fill(kOut)});
             small.prologue = Commands{replay(0U, 1U)};
             small.step = {write_input(0U, 0U), read_output(0U, 0U), replay(0U, 0U)};
         }},
    };
    return kCases;
}

class ViewsAnswers : public testing::TestWithParam<ViewsCase> {};

sim::SimOptions small_options() {
    sim::SimOptions options;
    options.spec = small_device();
    return options;
}

TEST_P(ViewsAnswers, AreOfferedWhereTheyAreProved) {
    SmallCase small = plain_case();
    GetParam().change(small);
    const files::AlignedBytes file{binary_of(small)};
    Bench bench{small_options()};
    ASSERT_EQ(bench.load(file.view()), Status::kOk) << path_text(bench.verdict);
    const PlannedViews views = bench.session.plan().views;
    EXPECT_EQ(views.answer, GetParam().answer);
    EXPECT_EQ(views.tensor, GetParam().tensor);
    EXPECT_EQ(views.command, GetParam().command);
    EXPECT_EQ(bench.session.has_views(), GetParam().answer == ViewsAnswer::kProved);
    EXPECT_EQ(cli::describe_views(bench.session.plan(), bench.workspace->image).empty(), bench.session.has_views());
}

INSTANTIATE_TEST_SUITE_P(Cases, ViewsAnswers, testing::ValuesIn(views_cases()),
                         [](const auto& each) { return std::string{each.param.name}; });

// What `pianola inspect` and `pianola size` say of the case of that name.
std::string text_of_case(const std::string& name) {
    for (const ViewsCase& each : views_cases()) {
        if (each.name == name) {
            SmallCase small = plain_case();
            each.change(small);
            const files::AlignedBytes file{binary_of(small)};
            Bench bench{small_options()};
            EXPECT_EQ(bench.load(file.view()), Status::kOk);
            return cli::describe_views(bench.session.plan(), bench.workspace->image);
        }
    }
    return "no such case";
}

TEST(Views, WhatSpeaksAgainstThemIsNamed) {
    EXPECT_EQ(text_of_case("TwoInFlight"), "steps overlap");
    EXPECT_EQ(text_of_case("TensorsShareAByte"), "output 0 'tensor' shares bytes with another tensor");
    EXPECT_EQ(text_of_case("TheStepWritesItsSecondInput"),
              "replay_trace 0 on queue 0 (scripts[1].commands[2], step) overwrites input 1 'tensor'");
    EXPECT_EQ(text_of_case("TheEpilogueReadsAnInput"),
              "replay_trace 1 on queue 0 (scripts[2].commands[0], epilogue) reads, where no step has just written it, "
              "input 0 'tensor'");
    EXPECT_EQ(text_of_case("AnOutputIsScratchOnTheOtherQueue"),
              "replay_trace 1 on queue 1 (scripts[1].commands[5], step) overwrites, behind the transfer that reads it, "
              "output 0 'tensor'");
}

TEST(ViewsOfWorkloads, ATensorInPiecesHasNone) {
    constexpr std::uint32_t kFirstBytes = 32U;
    Workload workload = make_small_workload(1U);
    capture::Manifest& manifest = workload.manifest;
    capture::ManifestBuffer piece = manifest.buffers.at(manifest.outputs.front().buffer);
    manifest.outputs.front().buffer = static_cast<std::uint32_t>(manifest.buffers.size());
    manifest.outputs.front().buffer_count = 2U;
    piece.size_bytes = kFirstBytes;
    manifest.buffers.push_back(piece);
    piece.offset_bytes += kFirstBytes;
    piece.size_bytes = kWorkloadBytes - kFirstBytes;
    manifest.buffers.push_back(piece);
    manifest.step_cycles +=
        (refdev::transfer_cycles(kFirstBytes) + refdev::transfer_cycles(kWorkloadBytes - kFirstBytes)) -
        refdev::transfer_cycles(kWorkloadBytes);
    Bench bench{small_options()};
    const files::AlignedBytes file{workload.file()};
    ASSERT_EQ(bench.load(file.view()), Status::kOk) << path_text(bench.verdict) << " " << bench.verdict.limit;
    EXPECT_EQ(bench.session.plan().views.answer, ViewsAnswer::kInPieces);
    EXPECT_EQ(bench.session.plan().views.tensor, kOutput);
    EXPECT_FALSE(bench.session.has_views());
}

// A device behind a cache that writes nothing back by itself: views are copies of the device's memory, which go there
// and come back only as the session says.
class CachedDevice final : public Device {
  public:
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

    Status describe(DeviceDescription& description) const noexcept override { return device_.describe(description); }
    Status reset() noexcept override { return device_.reset(); }
    Status program_region(const RegionConfig& region) noexcept override { return device_.program_region(region); }
    Status programmed_region(std::uint32_t index, RegionConfig& region) const noexcept override {
        return device_.programmed_region(index, region);
    }
    Status read_back(std::uint32_t address, MutableByteSpan out) noexcept override {
        return device_.read_back(address, out);
    }
    Status patch_word(std::uint32_t address, std::uint32_t word) noexcept override {
        return device_.patch_word(address, word);
    }
    Status bind_source(std::uint32_t slot, ByteSpan memory) noexcept override {
        return device_.bind_source(slot, memory);
    }
    Status bind_destination(std::uint32_t slot, MutableByteSpan memory) noexcept override {
        return device_.bind_destination(slot, memory);
    }
    [[nodiscard]] ByteSpan bound_source(std::uint32_t slot) const noexcept override {
        return device_.bound_source(slot);
    }
    [[nodiscard]] ByteSpan bound_destination(std::uint32_t slot) const noexcept override {
        return device_.bound_destination(slot);
    }
    Status enqueue(std::uint32_t queue, const QueueCommand& command) noexcept override {
        return device_.enqueue(queue, command);
    }
    Status ring_doorbell(std::uint32_t queue) noexcept override {
        for (const Line& line : lines_) {
            started_dirty_ = started_dirty_ || (line.bytes != line.known);
        }
        return device_.ring_doorbell(queue);
    }
    Status service() noexcept override { return device_.service(); }
    Status completion(std::uint32_t queue, std::uint32_t token, Completion& completion) noexcept override {
        return device_.completion(queue, token, completion);
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
