// pianola_bench_growth CORES COMMANDS [checked]: captures a program of so many commands, verifies the binary, loads it
// and replays it once, with a mark between each two. growth.py counts the instructions between the marks. With
// `checked` every command of the replay is held to its extents.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "hal/devices/refdev/host/refdev_target.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "hal/devices/refdev/sim/sim_device.h"
#include "hal/devices/refdev/sim/sim_platform.h"
#include "pianola/development_config.h"
#include "pianola/session.h"
#include "pianola_host/files.h"
#include "tests/capacity/long_program.h"

extern "C" {
// Neither inlined nor left out.
void pianola_growth_mark();
[[gnu::noinline]] void pianola_growth_mark() {
    const volatile char access = 0;  // what has an effect is called
    static_cast<void>(access);
}
}

namespace pianola::test {
namespace {

int run(std::uint32_t cores, std::uint32_t commands, bool is_checked) {
    const host::DeviceOptions options = long_device(&profiles::kDefault, cores);
    const auto captured_on = host::open_device(options);
    pianola_growth_mark();
    const LongProgram program = capture_long_program(captured_on, cores, commands);
    pianola_growth_mark();

    sim::SimOptions sim_options;
    sim_options.spec = refdev::spec_of(captured_on->spec());
    sim_options.check_accesses = is_checked;
    sim::SimDevice device{sim_options};
    sim::SimPlatform platform{device};
    const refdev::RefdevCommandSet command_set;
    Session session{device, platform, command_set, kDevelopmentConfig};
    const files::AlignedBytes file{program.workload.file};
    const auto workspace = std::make_unique<PlanWorkspace>();
    const auto plan = std::make_unique<Plan>();
    Image image;
    Verdict verdict;
    DeviceDescription description;
    pianola_growth_mark();
    bool is_right =
        is_ok(device.describe(description)) &&
        is_ok(validate(file.view(), description, command_set, kDevelopmentTrust, *workspace, image, *plan, verdict));
    pianola_growth_mark();
    is_right = is_right && is_ok(session.load(file.view(), *workspace, verdict));
    pianola_growth_mark();
    const Bytes input(std::size_t{cores} * kLongShare, kLongInput);
    Bytes output(input.size());
    const std::array<ByteSpan, 1> inputs{view(input)};
    const std::array<MutableByteSpan, 1> outputs{MutableByteSpan{output.data(), output.size()}};
    is_right = is_right && is_ok(session.run(Span<const ByteSpan>{inputs}, Span<const MutableByteSpan>{outputs}));
    pianola_growth_mark();
    is_right = is_right && (output == Bytes(output.size(), kLongOutput)) && (device.access_violations() == 0U);

    std::uint32_t count = 0U;
    for (const capture::ManifestTrace& trace : program.workload.manifest.traces) {
        count += trace.command_count;
    }
    (void)std::puts(std::to_string(count).c_str());
    return is_right ? 0 : 1;
}

}  // namespace
}  // namespace pianola::test

int main(int argc, char** argv) {
    if (argc < 3) {
        (void)std::fputs("usage: pianola_bench_growth CORES COMMANDS [checked]\n", stderr);
        return 2;
    }
    const bool is_checked = (argc > 3) && (std::strcmp(argv[3], "checked") == 0);
    return pianola::test::run(static_cast<std::uint32_t>(std::strtoul(argv[1], nullptr, 10)),
                              static_cast<std::uint32_t>(std::strtoul(argv[2], nullptr, 10)), is_checked);
}
