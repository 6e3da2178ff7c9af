// Programs of 100,000 commands are captured, replayed and verified, with the profiles that are meant for them.
#include <tuple>

#include "capture_host/files/files.h"
#include "capture_host/workload/workload_capture.h"
#include "capture_host/writer/verify.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "pianola/development_config.h"
#include "tests/api/support.h"

namespace pianola::test {
namespace {

using host::BufferPtr;

constexpr std::uint32_t kCommands = 100'000U;
constexpr std::uint32_t kShare = 32U;  // bytes of each core

using Parameters = std::tuple<const Capacities*, std::uint32_t>;  // and cores

class LongPrograms : public testing::TestWithParam<Parameters> {};

INSTANTIATE_TEST_SUITE_P(OnCores, LongPrograms,
                         testing::Combine(testing::Values(&profiles::kDefault, &profiles::kHost),
                                          testing::Values(1U, 2U, 8U)),
                         [](const auto& instance) {
                             return std::string{std::get<0>(instance.param)->name} + "_" +
                                    std::to_string(std::get<1>(instance.param));
                         });

TEST_P(LongPrograms, AreTaken) {
    const auto [profile, cores] = GetParam();
    host::DeviceOptions options = small_device(1U, 8U * 1024U * 1024U);
    options.spec.dram_bytes = 64U * 1024U * 1024U;
    options.spec.grid_columns = cores;
    options.spec.grid_rows = 1U;
    options.spec.capacities = profile;
    options.dispatch_area_bytes = 8U * 1024U * 1024U;
    const auto device = host::open_device(options);
    const std::uint32_t bytes = cores * kShare;
    const BufferPtr input = device->allocate(flat(bytes));
    const BufferPtr output = device->allocate(flat(bytes));
    host::Program program{"sum"};
    for (std::uint32_t core = 0U; core < cores; ++core) {
        const host::KernelHandle kernel = program.add_kernel("binary", host::one_core({core, 0U}));
        program.set_runtime_args(
            kernel, {core, 0U},
            {host::BufferArgument{input, 0U, core * kShare}, host::BufferArgument{input, 0U, core * kShare},
             host::BufferArgument{output, 0U, core * kShare}});
        program.set_common_runtime_args(kernel, {kShare, 1U, 1U});  // int8 add, saturating
    }
    host::WorkloadCapture capture{device};
    capture.declare_input(input, {"in", ElementType::kInt8, {bytes}, 1.0F, 0});
    capture.declare_output(output, {"out", ElementType::kInt8, {bytes}, 1.0F, 0});
    capture.begin_step();
    device->enqueue_write(0U, input, view(Bytes(bytes, 3U)));
    for (std::uint32_t i = 0U; i < kCommands; i += cores) {
        device->enqueue_program(0U, program);
    }
    EXPECT_EQ(read(*device, output), Bytes(bytes, 6U));
    const host::CapturedWorkload workload = capture.end();
    std::uint32_t commands = 0U;
    for (const capture::ManifestTrace& trace : workload.manifest.traces) {
        commands += trace.command_count;
    }
    EXPECT_GT(commands, kCommands);

    const DeviceDescription& description = device->spec();
    const auto workspace = std::make_unique<PlanWorkspace>();
    const auto plan = std::make_unique<Plan>();
    const files::AlignedBytes file{workload.file};
    Image image;
    Verdict verdict;
    EXPECT_EQ(capture::verify(file.view(), description, refdev::RefdevCommandSet{}, kDevelopmentTrust, *workspace,
                              image, *plan, verdict),
              Status::kOk)
        << rule_id(verdict.rule) << ' ' << verdict.actual << " against " << verdict.limit;
}

}  // namespace
}  // namespace pianola::test
