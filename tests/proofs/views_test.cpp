// Views are offered exactly where a step gives the same without its transfers, and what speaks against them is named.
#include <gtest/gtest.h>

#include <functional>

#include "capture_host/cli/cli.h"
#include "hal/devices/refdev/command_encoding.h"
#include "tests/proofs/patterns.h"
#include "tests/support/bench.h"
#include "tests/support/trace_file.h"
#include "tests/support/verifies.h"
#include "tests/support/virtual_costs.h"

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

TEST_P(ViewsAnswers, AreOfferedWhereTheyAreProved) {
    verifies({"swr~views~1"});
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

}  // namespace
}  // namespace pianola::test
