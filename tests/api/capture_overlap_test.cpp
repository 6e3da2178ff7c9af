// Whether the steps of a captured workload may overlap, and what is said where they may not.
#include <fmt/format.h>

#include <filesystem>

#include "capture_host/binary/verify.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "pianola/development_config.h"
#include "pianola_host/files.h"
#include "tests/api/capture_support.h"

namespace pianola::test {
namespace {

using host::BufferPtr;
using host::CapturedWorkload;
using host::HostRule;
using host::Program;
using host::WorkloadCapture;

// Steps that the host alone keeps apart: the events that are missing are named, the file is kept, and one step in
// flight is what is left.
TEST(Capture, AFallBackToOneStepInFlightIsSaid) {
    const auto device = host::open_device(small_device(2U));
    const BufferPtr input = device->allocate(flat(64U));
    const BufferPtr middle = device->allocate(flat(64U));
    const BufferPtr output = device->allocate(flat(64U));
    Program first = constant_program(input, middle, 1, "first");
    Program second = constant_program(middle, output, 2, "second");
    const host::EventId made = device->create_event();
    const host::EventId taken = device->create_event();
    const std::string kept = testing::TempDir() + "pianola_refused.ptb";
    (void)std::filesystem::remove(kept);
    const auto captured = [&](std::uint32_t steps_in_flight, bool both_events) {
        host::CaptureOptions options;
        options.steps_in_flight = steps_in_flight;
        options.refused_file = kept;
        WorkloadCapture capture{device, options};
        capture.declare_input(input, tensor("in", 64U));
        capture.declare_output(output, tensor("out", 64U));
        capture.begin_prologue();
        device->record_event(1U, taken);
        for (std::uint32_t i = 0U; i < 3U; ++i) {
            capture.begin_step();
            device->wait_for_event(0U, taken);
            device->enqueue_write(0U, input, view(pattern(64U, i)));
            device->enqueue_program(0U, first);
            device->record_event(0U, made);
            device->wait_for_event(1U, made);
            if (!both_events) {
                device->record_event(1U, taken);  // before what it stands for
            }
            device->enqueue_program(1U, second);
            (void)device->enqueue_read(1U, output);
            if (both_events) {
                device->record_event(1U, taken);
            }
            device->synchronize();
        }
        capture.begin_epilogue();
        device->wait_for_event(0U, taken);
        return capture.end();
    };
    const std::string needed =
        "command 2 of the step (programs first on queue 0) and command 6 of the step (programs second "
        "on queue 1) in the step before both touch buffer ";
    EXPECT_TRUE(captured(0U, true).warnings.empty());
    EXPECT_FALSE(std::filesystem::exists(kept));
    expect_rule(HostRule::kCaptureRefused, needed, [&] { (void)captured(2U, false); });
    EXPECT_TRUE(std::filesystem::exists(kept));
    const CapturedWorkload workload = captured(0U, false);
    EXPECT_EQ(workload.manifest.steps_in_flight, 1U);
    ASSERT_EQ(workload.warnings.size(), 1U);
    EXPECT_NE(workload.warnings[0].find("captured with one step in flight"), std::string::npos);
    EXPECT_NE(workload.warnings[0].find(needed), std::string::npos) << workload.warnings[0];
    EXPECT_NE(workload.warnings[0].find("one step later"), std::string::npos);
    // The file that is kept breaks the rule by itself.
    const files::AlignedBytes file{files::load_file(kept)};
    const DeviceDescription& description = device->spec();
    const refdev::RefdevCommandSet command_set;
    capture::Verification proofs;
    EXPECT_NE(proofs.verify(file.view(), description, command_set, kDevelopmentTrust), Status::kOk);
    EXPECT_EQ(proofs.verdict.rule, Rule::kOrdRace);
}

// A record in front of the first step that nobody waits for lets nothing overlap: its event is named, wherever it
// stands and whatever else the prologue holds.
TEST(Capture, ARecordThatNobodyWaitsForIsNamed) {
    struct Case {
        bool prologue;
        bool record;
        bool wait;
        std::uint32_t steps_in_flight;  // of the options
        std::uint32_t expected;
        std::string warning;
    };
    const std::string idle = "captured with one step in flight: a record of event ";
    const std::string nothing = "captured with one step in flight: a prologue was marked, and nothing in it";
    const std::vector<Case> cases{
        {true, true, true, 0U, 2U, ""},     {true, true, false, 0U, 1U, idle}, {false, true, true, 0U, 2U, ""},
        {false, true, false, 0U, 1U, idle}, {true, true, false, 1U, 1U, idle}, {true, false, false, 0U, 1U, nothing},
        {false, false, false, 0U, 1U, ""},
    };
    for (const Case& each : cases) {
        SCOPED_TRACE(fmt::format("prologue {} record {} wait {} {}", each.prologue, each.record, each.wait,
                                 each.steps_in_flight));
        const auto device = host::open_device(small_device(2U));
        const BufferPtr input = device->allocate(flat(64U));
        const BufferPtr output = device->allocate(flat(64U));
        Program program = constant_program(input, output, 1);
        const host::EventId unused = device->create_event();
        const host::EventId taken = device->create_event();
        const host::EventId written = device->create_event();
        EXPECT_NE(unused.value, taken.value);
        host::CaptureOptions options;
        options.steps_in_flight = each.steps_in_flight;
        WorkloadCapture capture{device, options};
        capture.declare_input(input, tensor("in", 64U));
        capture.declare_output(output, tensor("out", 64U));
        if (each.prologue) {
            capture.begin_prologue();
        }
        if (each.record) {
            device->record_event(0U, taken);
        }
        for (std::uint32_t i = 0U; i < 3U; ++i) {
            capture.begin_step();
            if (each.wait) {
                device->wait_for_event(1U, taken);
            }
            device->enqueue_write(1U, input, view(pattern(64U, i)));
            device->record_event(1U, written);
            device->wait_for_event(0U, written);
            device->enqueue_program(0U, program);
            device->record_event(0U, taken);
            (void)device->enqueue_read(0U, output);
            device->synchronize();  // the host waits; the binary cannot
        }
        const CapturedWorkload workload = capture.end();
        EXPECT_EQ(workload.manifest.steps_in_flight, each.expected);
        ASSERT_EQ(workload.warnings.size(), each.warning.empty() ? 0U : 1U);
        if (!each.warning.empty()) {
            EXPECT_EQ(workload.warnings[0].find(each.warning), 0U) << workload.warnings[0];
            EXPECT_EQ(workload.warnings[0].find(fmt::format("a record of event {} on queue 0", taken.value)) !=
                          std::string::npos,
                      each.warning == idle)
                << workload.warnings[0];
        }
        expect_verified(workload, device->spec());
    }
}

}  // namespace
}  // namespace pianola::test
