// Programs of 100,000 commands are captured, replayed and verified, with the profiles that are meant for them.
#include <tuple>

#include "capture_host/binary/verify.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "pianola/development_config.h"
#include "pianola_host/files.h"
#include "tests/capacity/long_program.h"

namespace pianola::test {
namespace {

constexpr std::uint32_t kCommands = 100'000U;

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
    const auto device = host::open_device(long_device(profile, cores));
    const LongProgram program = capture_long_program(device, cores, kCommands);
    EXPECT_EQ(program.output, Bytes(std::size_t{cores} * kLongShare, kLongOutput));
    const host::CapturedWorkload& workload = program.workload;
    std::uint32_t commands = 0U;
    for (const capture::ManifestTrace& trace : workload.manifest.traces) {
        commands += trace.command_count;
    }
    EXPECT_GT(commands, kCommands);

    const DeviceDescription& description = device->spec();
    const files::AlignedBytes file{workload.file};
    capture::Verification proofs;
    const Verdict& verdict = proofs.verdict;
    EXPECT_EQ(proofs.verify(file.view(), description, refdev::RefdevCommandSet{}, kDevelopmentTrust), Status::kOk)
        << rule_id(verdict.rule) << ' ' << verdict.actual << " against " << verdict.limit;
}

}  // namespace
}  // namespace pianola::test
