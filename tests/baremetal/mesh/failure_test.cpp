// failure BINARY ALONE INPUTS OUTPUTS KIND DEVICE NUMBER: one good step on two devices, one in which something happens
// to DEVICE, and what becomes of both.
//
//   dead NUMBER        the device's core answers nothing more after this many commands of the second step
//   doorbell NUMBER    the device's doorbell of this number, counted from the start of load(), does not arrive
//
// With NUMBER 0 nothing goes wrong. Afterwards the binary is loaded again, and then ALONE, a binary for one device, on
// the other device, where it takes the first record of its own. OUTPUTS has what the good step gave, and what that
// device gave. Reports what it finds; the host judges.
#include <algorithm>
#include <cstring>

#include "hal/boards/common/board.h"
#include "hal/boards/common/semihosting.h"
#include "tests/baremetal/mesh/mesh_bench.h"

namespace pianola::baremetal {
namespace {

constexpr std::uint8_t kMark = 0xC3U;  // in memory that nothing is released to

bool is_kind(const Arguments& arguments, const char* kind) noexcept {
    return std::strcmp(arguments.at(5U), kind) == 0;
}

FaultyDevice faulty_device(const Arguments& arguments) noexcept {
    FaultyDevice faulty;
    if (is_kind(arguments, "doorbell")) {
        faulty.device = arguments.number_at(6U);
        faulty.script.lose_doorbell = arguments.number_at(7U);
    }
    return faulty;
}

Status step(Session& session, ByteSpan inputs, std::uint32_t number, MutableByteSpan output) noexcept {
    const std::array<MutableByteSpan, 1U> outputs{output};
    return session.run(record(session.plan(), inputs, number).all(), outputs);
}

// Whether the device is as a reset leaves it: no region, no memory of the application.
void report_device(const char* name, const Device& device) noexcept {
    RegionConfig region;
    const bool is_bound = !device.bound_source(kFirstInputSlot).empty() || !device.bound_destination(0U).empty();
    const bool has_region = is_ok(device.programmed_region(0U, region));
    report(name, (is_bound || has_region) ? 0U : 1U);
}

void report_aftermath(MeshBench& bench, ByteSpan inputs, MutableByteSpan output) noexcept {
    report_fault(bench.session.fault());
    report("fault_row", bench.session.fault().row);
    report("fault_column", bench.session.fault().column);
    report("ended_after_us", board::now_us() - bench.session.fault().started_us);
    report("output_zeros", static_cast<std::uint32_t>(std::count(output.begin(), output.end(), std::uint8_t{0U})));
    report("safe_state_entries", bench.platform.safe_state_entries());
    report("watchdog", bench.platform.watchdog_services());
    report_device("is_reset_0", bench.devices[0U]);
    report_device("is_reset_1", bench.devices[1U]);
    report("later_step", static_cast<std::uint32_t>(step(bench.session, inputs, 1U, output)));
}

// The whole mesh again.
void report_reload(MeshBench& bench, ByteSpan file, ByteSpan inputs, ByteSpan good, MutableByteSpan output) noexcept {
    const Status reloaded = bench.session.load(file, bench.workspace, bench.verdict);
    report("reloaded", static_cast<std::uint32_t>(reloaded));
    report("reload_fault_column", bench.session.fault().column);
    if (is_ok(reloaded)) {
        report("replayed", static_cast<std::uint32_t>(step(bench.session, inputs, 0U, output)));
        report("replayed_right", std::equal(output.begin(), output.end(), good.begin(), good.end()) ? 1U : 0U);
    }
}

// The other device without the one that failed.
Status run_alone(MeshBench& bench, Device& other, ByteSpan file, ByteSpan inputs, MutableByteSpan output) noexcept {
    static Session session{other, bench.platform, bench.command_set, kDevelopmentConfig};
    if (!load_binary(session, bench.workspace, bench.verdict, file)) {
        return Status::kRefused;
    }
    return step(session, inputs, 0U, output.subspan(0U, session.output_bytes()));
}

}  // namespace

std::int32_t test_mesh_failure(const Arguments& arguments) noexcept {
    if (arguments.count() < 8U) {
        return kWrongUsage;
    }
    static MeshBench bench{faulty_device(arguments), refdev::kResetLimitUs};
    LoadArea area;
    const ByteSpan file = area.load(arguments.at(1U));
    const ByteSpan alone = area.load(arguments.at(2U));
    const ByteSpan inputs = area.load(arguments.at(3U));
    if (alone.empty() || inputs.empty() || !load_binary(bench.session, bench.workspace, bench.verdict, file)) {
        return kNotLoaded;
    }
    const std::uint32_t bytes = bench.session.output_bytes();
    const std::uint32_t failing = arguments.number_at(6U);
    const MutableByteSpan kept = area.allocate(bytes + (bytes / kDevices));
    const MutableByteSpan output = area.allocate(bytes);
    const MutableByteSpan good = kept.subspan(0U, bytes);
    if (output.empty() || good.empty() || (failing >= kDevices) || !is_ok(step(bench.session, inputs, 0U, good))) {
        report_fault(bench.session.fault());
        return kFailed;
    }
    std::fill(output.begin(), output.end(), kMark);
    if (is_kind(arguments, "dead") && (arguments.number_at(7U) != 0U)) {
        stop_device_after(failing, arguments.number_at(7U));
    }
    report("status", static_cast<std::uint32_t>(step(bench.session, inputs, 1U, output)));
    report_aftermath(bench, inputs, output);
    report_reload(bench, file, inputs, good, output);
    report("alone", static_cast<std::uint32_t>(run_alone(bench, bench.devices[1U - failing], alone, inputs,
                                                         kept.subspan(bytes, bytes / kDevices))));
    return semihosting::store_file(arguments.at(4U), kept) ? kPassed : kFailed;
}

}  // namespace pianola::baremetal
