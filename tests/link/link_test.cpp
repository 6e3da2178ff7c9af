// The recorder and the linker: what they refuse, and what they promise of the binary.

#include "capture_host/capture/link.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "capture_host/capture/assembly.h"
#include "capture_host/capture/capture.h"
#include "hal/devices/refdev/kernels/arguments.h"
#include "pianola/config.h"

namespace pianola::capture {
namespace {

constexpr std::uint32_t kElements = 1000U;

std::vector<std::uint32_t> requantize_words() {
    // input, output, count, input zero point, multiplier 0.5 in Q31, shift, output zero point
    return {0U, 0U, kElements, 0U, 1U << 30U, 0U, 0U};
}

Launch requantize(const std::string& label, BufferId from, BufferId to) {
    Launch launch;
    launch.label = label;
    launch.kernel = refdev::KernelId::kRequantize;
    launch.arguments = requantize_words();
    launch.operands = {{0U, from, 0U, Access::kRead}, {1U, to, 0U, Access::kWrite}};
    return launch;
}

TensorInfo tensor(const std::string& name) {
    return {name, {1U, kElements}, ElementType::kInt8, 0.5F, 0};
}

// input -> a -> b -> ... -> output, through as many activations as asked for.
Recorder chain(std::uint32_t activations) {
    Recorder recorder;
    BufferId last = recorder.add_input(tensor("in"), kElements);
    for (std::uint32_t i = 0U; i < activations; ++i) {
        const BufferId next = recorder.add_activation("a" + std::to_string(i), kElements);
        recorder.launch(requantize(std::to_string(i), last, next));
        last = next;
    }
    recorder.launch(requantize("last", last, recorder.add_output(tensor("out"), kElements)));
    return recorder;
}

std::string error_of(const Recorder& recorder, const LinkOptions& options) {
    try {
        (void)link(recorder, options);
    } catch (const LinkError& error) {
        return error.what();
    }
    return "";
}

TEST(Link, ActivationsOfAChainShareTwoBuffers) {
    const LinkedWorkload linked = link(chain(6U), {});
    constexpr std::uint32_t kAligned = 1024U;
    EXPECT_EQ(linked.summary.activation_bytes, 2U * kAligned);
    EXPECT_EQ(linked.summary.activation_sum_bytes, 6U * kAligned);
    EXPECT_EQ(linked.summary.activation_lower_bound_bytes, 2U * kAligned);
    EXPECT_EQ(linked.summary.commands, 8U);  // seven launches and the end
    EXPECT_EQ(linked.summary.operators, 7U);
}

TEST(Link, TooSmallATraceRegionStatesNeedAndLimitAndTheNeedSuffices) {
    const std::uint64_t need = link(chain(6U), {}).summary.trace_bytes;
    LinkOptions options;
    options.spec.trace_region_bytes = static_cast<std::uint32_t>((need / 64U) * 64U);
    ASSERT_LT(options.spec.trace_region_bytes, need);
    const std::string error = error_of(chain(6U), options);
    EXPECT_NE(error.find("trace region"), std::string::npos) << error;
    EXPECT_NE(error.find(std::to_string(need)), std::string::npos) << error;
    EXPECT_NE(error.find(std::to_string(options.spec.trace_region_bytes)), std::string::npos) << error;

    options.spec.trace_region_bytes += 64U;
    EXPECT_NO_THROW((void)capture_workload(chain(6U), {options, 0U, {}, {}}));
}

TEST(Link, ActivationsGoToDramWhereL1IsTooSmallAndAreRefusedWhereBothAre) {
    LinkOptions options;
    options.spec.l1_bytes = 1024U;
    const LinkedWorkload linked = link(chain(3U), options);
    EXPECT_FALSE(linked.summary.activations_in_l1);
    options.spec.dram_bytes = options.spec.trace_region_bytes + 3072U;
    const std::string error = error_of(chain(3U), options);
    EXPECT_NE(error.find("DRAM"), std::string::npos) << error;
    // All of DRAM, with the trace region: what the option has to be, and what it is.
    const std::uint64_t needed_bytes = options.spec.trace_region_bytes + 4096U;
    EXPECT_NE(error.find(std::to_string(needed_bytes) + " bytes are needed"), std::string::npos) << error;
    EXPECT_NE(error.find(std::to_string(options.spec.dram_bytes) + " are there"), std::string::npos) << error;

    options.spec.dram_bytes = static_cast<std::uint32_t>(needed_bytes);
    EXPECT_NO_THROW((void)link(chain(3U), options));
}

TEST(Link, ADeadlineIsTakenAsGivenAndRefusedWhereItCanNotBeMet) {
    LinkOptions options;
    options.step_deadline_us = 3U;
    EXPECT_EQ(link(chain(1U), options).manifest.step_deadline_us, 3U);
    options.step_deadline_us = 2U;
    const std::string error = error_of(chain(1U), options);
    EXPECT_NE(error.find("deadline is too short: a step takes 3 us, 2 are wanted"), std::string::npos) << error;
    options = LinkOptions{};
    options.setup_deadline_us = 60U;
    EXPECT_EQ(link(chain(1U), options).manifest.setup_deadline_us, 60U);
    options.setup_deadline_us = 1U;
    options.spec.clock_khz = 1000U;
    const std::string setup_error = error_of(chain(1U), options);
    EXPECT_NE(setup_error.find("deadline is too short: the set-up takes"), std::string::npos) << setup_error;
}

TEST(Link, RefusesMoreQueuesThanTheDeviceHas) {
    LinkOptions options;
    options.spec.queue_count = 1U;
    options.queues = 2U;
    EXPECT_NE(error_of(chain(1U), options).find("1 queues, 2 are wanted"), std::string::npos);
}

TEST(Link, RefusesArgumentsThatTheKernelDoesNotAcceptAndNamesThem) {
    Recorder recorder;
    const BufferId in = recorder.add_input(tensor("in"), kElements);
    Launch launch = requantize("the operator", in, recorder.add_output(tensor("out"), kElements));
    launch.arguments.at(2) = 0U;
    recorder.launch(launch);
    const std::string error = error_of(recorder, {});
    EXPECT_NE(error.find("the operator"), std::string::npos) << error;
    EXPECT_NE(error.find("count"), std::string::npos) << error;
}

TEST(Link, RefusesMoreInputsThanTheRuntimeHolds) {
    Recorder recorder;
    for (std::uint32_t i = 0U; i <= kMaxInputs; ++i) {
        (void)recorder.add_input(tensor("in"), kElements);
    }
    EXPECT_NE(error_of(recorder, {}).find("too many inputs: 9 are needed, 8 fit"), std::string::npos);
}

TEST(Link, TwoQueuesAreOrderedByEvents) {
    LinkOptions options;
    options.queues = 2U;
    const LinkedWorkload linked = link(chain(1U), options);
    const auto& step = linked.manifest.scripts.at(1).commands;
    const auto waits = std::count_if(step.begin(), step.end(), [](const ManifestCommand& command) {
        return command.kind == ScriptCommandKind::kWaitEvent;
    });
    EXPECT_EQ(waits, 2);
    EXPECT_NO_THROW((void)capture_workload(chain(1U), {options, 2U, {}, {}}));
}

TEST(Capture, SelfTestsAreReproducibleAndFillTheirSegment) {
    const CaptureOptions options{{}, 3U, {}, {}};
    const Capture first = capture_workload(chain(2U), options);
    const Capture second = capture_workload(chain(2U), options);
    EXPECT_EQ(first.file, second.file);
    EXPECT_GE(first.file.size(), 3U * 2U * kElements);
    EXPECT_THROW((void)capture_workload(chain(2U), {{}, kMaxSelfTests + 1U, {}, {}}), LinkError);
}

TEST(Capture, AWorkloadThatReadsWhatNothingWroteIsOurDefectAndNotWritten) {
    Recorder recorder;
    (void)recorder.add_input(tensor("in"), kElements);
    const BufferId never = recorder.add_activation("never written", kElements);
    recorder.launch(requantize("reader", never, recorder.add_output(tensor("out"), kElements)));
    try {
        (void)capture_workload(recorder, {});
        FAIL() << "captured";
    } catch (const std::logic_error& error) {
        EXPECT_NE(std::string{error.what()}.find("TRC-UNWRITTEN"), std::string::npos) << error.what();
    }
}

TEST(Recorder, EqualConstantsAreStoredOnce) {
    Recorder recorder;
    const BufferId first = recorder.add_constant("a", {1U, 2U, 3U});
    EXPECT_EQ(recorder.add_constant("b", {1U, 2U, 3U}), first);
    EXPECT_NE(recorder.add_constant("c", {1U, 2U, 4U}), first);
    EXPECT_EQ(recorder.buffers().size(), 2U);
}

TEST(Recorder, RefusesOperandsThatCanNotBe) {
    Recorder recorder;
    const BufferId in = recorder.add_input(tensor("in"), kElements);
    const BufferId constant = recorder.add_constant("k", {1U});
    EXPECT_THROW(recorder.launch(requantize("writes an input", constant, in)), std::invalid_argument);
    EXPECT_THROW(recorder.launch(requantize("unknown buffer", BufferId{77U}, in)), std::invalid_argument);
    EXPECT_THROW(recorder.copy("longer than its source", recorder.add_activation("a", 2U), constant, 2U),
                 std::invalid_argument);
    EXPECT_THROW((void)recorder.add_activation("empty", 0U), std::invalid_argument);
}

TEST(ManifestName, IsPrintableNotEmptyAndNotTooLong) {
    EXPECT_EQ(manifest_name("plain name", "x"), "plain name");
    EXPECT_EQ(manifest_name("tab\tand \x1b[31m", "x"), "tab?and ?[31m");
    EXPECT_EQ(manifest_name("", "x"), "x");
    EXPECT_EQ(manifest_name(std::string(1000U, 'n'), "x").size(), kMaxNameBytes);
}

}  // namespace
}  // namespace pianola::capture
