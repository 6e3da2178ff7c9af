// Programs of the host API for a PL330: accepted by the same validator, and refused by name where they do more than
// copy and fill.
#include <gtest/gtest.h>

#include "capture_host/binary/verify.h"
#include "capture_host/capture/lowering/lowerings.h"
#include "hal/devices/pl330/command_set.h"
#include "hal/host/device_numbers.h"
#include "pianola/development_config.h"
#include "pianola_host/files.h"
#include "pianola_host/targets.h"
#include "pianola_host/workload_capture.h"
#include "tests/pl330/exchange.h"
#include "tests/pl330/workloads.h"

namespace pianola::test {
namespace {

// Verifies on the engine's description.
class Verified {
  public:
    explicit Verified(const std::vector<std::uint8_t>& file) : bytes_{file} {
        DeviceDescription device;
        pl330::describe(board::kEngineSpec, device);
        const pl330::Pl330CommandSet command_set;
        static_cast<void>(proofs_.verify(bytes_.view(), device, command_set, kDevelopmentTrust));
    }
    [[nodiscard]] std::string rule() const {
        return is_ok(proofs_.verdict.status) ? "" : rule_id(proofs_.verdict.rule);
    }
    [[nodiscard]] const Plan& plan() const { return *proofs_.plan; }

  private:
    files::AlignedBytes bytes_;
    capture::Verification proofs_;
};

TEST(Pl330Lowering, TheExchangeIsAccepted) {
    const pl330::Lowered lowered = exchange();
    EXPECT_EQ(lowered.manifest.traces.size(), 4U);
    EXPECT_EQ(lowered.manifest.target.device_family, "pl330");
    EXPECT_EQ(Verified{lowered.file()}.rule(), "");
    EXPECT_EQ(lowered.file(), exchange().file()) << "the same program gives the same bytes";
}

// What users have: the family's lowering, and the family's target.
TEST(Pl330Lowering, IsChosenByTheFamily) {
    const targets::Lowering* const lowering = capture::find_lowering("pl330");
    ASSERT_NE(lowering, nullptr);
    EXPECT_EQ(capture::find_lowering("pianola-refdev"), nullptr);
    const DeviceDescription engine = targets::Targets{}.find("pl330")->usual_device();
    DeviceDescription board;
    pl330::describe(board::kEngineSpec, board);
    for_each_number([](const char* name, std::uint32_t usual, std::uint32_t its) { EXPECT_EQ(usual, its) << name; },
                    engine, board);
    EXPECT_EQ(engine.capacities, board.capacities) << "the usual device is the board's";
    const DeviceDescription reference = reference_of_engine();
    const DeviceDescription captured_on = lowering->captured_on(engine);
    for_each_number([](const char* name, std::uint32_t its, std::uint32_t ours) { EXPECT_EQ(its, ours) << name; },
                    captured_on, reference);
    const std::vector<std::uint8_t> file = exchange_for_reference();
    const targets::LoweredBinary lowered = lowering->lower({file.data(), file.size()}, engine);
    EXPECT_EQ(lowered.file, exchange().file());
    EXPECT_EQ(lowered.commands, 14U);
    DeviceDescription smaller = engine;
    smaller.dram_bytes /= 2U;
    EXPECT_THROW(static_cast<void>(lowering->lower({file.data(), file.size()}, smaller)), targets::LoweringError);
}

TEST(Pl330Lowering, AMissingEventIsRefused) {
    EXPECT_EQ(Verified{exchange_without_event().file()}.rule(), "ORD-RACE");
}

TEST(Pl330Lowering, TheReferenceDeviceAndTheEngineAreNotMixedUp) {
    EXPECT_EQ(Verified{exchange_for_reference()}.rule(), "TGT-FAMILY");
}

// What a program that adds to what it copies is told.
TEST(Pl330Lowering, OtherKernelsAreRefusedByName) {
    const auto device = host::open_device(engine_options());
    host::BufferConfig config;
    config.rows = 1U;
    config.row_bytes = 64U;
    const host::BufferPtr input = device->allocate(config);
    const host::BufferPtr output = device->allocate(config);
    host::Program program{"adds"};
    const host::CoreCoord core{0U, 0U};
    const host::KernelHandle kernel = program.add_kernel("requantize", host::one_core(core));
    program.set_runtime_args(
        kernel, core,
        {host::BufferArgument{input, 0U, 0U}, host::BufferArgument{output, 0U, 0U}, 64U, 0U, 1U << 30U, 1U, 3U});
    host::WorkloadCapture capture{device};
    capture.declare_input(input, {"in", ElementType::kInt8, {64U}, 0.5F, 0});
    capture.declare_output(output, {"out", ElementType::kInt8, {64U}, 0.5F, 0});
    const std::vector<std::uint8_t> data(64U, 1U);
    device->enqueue_write(0U, input, ByteSpan{data.data(), data.size()});
    device->enqueue_program(0U, program);
    static_cast<void>(device->enqueue_read(0U, output));
    const files::AlignedBytes file{capture.end().file};
    try {
        static_cast<void>(pl330::lower(file.view(), reference_of_engine(), board::kEngineSpec));
        FAIL() << "lowered";
    } catch (const pl330::LoweringError& error) {
        EXPECT_NE(std::string{error.what()}.find("the kernel requantize"), std::string::npos) << error.what();
        EXPECT_NE(std::string{error.what()}.find("command 0"), std::string::npos) << error.what();
    }
    DeviceDescription other = reference_of_engine();
    other.dram_base += 64U;
    EXPECT_THROW(static_cast<void>(pl330::lower(file.view(), other, board::kEngineSpec)), pl330::LoweringError);
}

}  // namespace
}  // namespace pianola::test
