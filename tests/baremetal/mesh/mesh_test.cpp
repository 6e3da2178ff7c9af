// replay BINARY INPUTS OUTPUTS: replays every record of a file of inputs on two devices, with as many steps in flight
// as the binary admits. In every step both devices' cores have to meet, see device_probe.h.
#include "hal/boards/common/semihosting.h"
#include "tests/baremetal/mesh/mesh_bench.h"

namespace pianola::baremetal {
namespace {

Status replay(Session& session, ByteSpan inputs, MutableByteSpan outputs, std::uint32_t records) noexcept {
    const std::uint32_t output_bytes = session.output_bytes();
    Status status = session.start({});
    status = is_ok(status) ? session.wait() : status;
    std::uint32_t under_way = 0U;
    for (std::uint32_t number = 0U; is_ok(status) && (number < records); ++number) {
        if (under_way == session.plan().steps_in_flight) {
            status = session.wait();
            under_way -= 1U;
        }
        const Inputs given = record(session.plan(), inputs, number);
        const std::array<MutableByteSpan, 1U> results{
            outputs.subspan(std::size_t{number} * output_bytes, output_bytes)};
        ask_for_meeting(number + 1U);
        status = is_ok(status) ? session.submit(given.all(), results) : status;
        under_way += 1U;
    }
    for (; is_ok(status) && (under_way > 0U); --under_way) {
        status = session.wait();
    }
    return status;
}

}  // namespace

std::int32_t test_mesh(const Arguments& arguments) noexcept {
    if (arguments.count() < 4U) {
        return kWrongUsage;
    }
    static MeshBench bench{FaultyDevice{}, kPatientResetLimitUs};
    Session& session = bench.session;
    LoadArea area;
    const ByteSpan file = area.load(arguments.at(1U));
    const ByteSpan inputs = area.load(arguments.at(2U));
    if (file.empty() || inputs.empty() || !load_binary(session, bench.workspace, bench.verdict, file)) {
        return kNotLoaded;
    }
    const auto records = static_cast<std::uint32_t>(inputs.size()) / record_bytes(session.plan());
    const MutableByteSpan outputs = area.allocate(records * session.output_bytes());
    if (outputs.empty()) {
        return kWrongUsage;
    }
    const Status status = replay(session, inputs, outputs, records);
    if (!is_ok(status)) {
        report_fault(session.fault());
        return kFailed;
    }
    report("records", records);
    report("in_flight", session.plan().steps_in_flight);
    report("watchdog", bench.platform.watchdog_services());
    report("safe_state_entries", bench.platform.safe_state_entries());
    report("meetings_0", last_meeting(0U));
    report("meetings_1", last_meeting(1U));
    report("executed_0", executed_commands(0U));
    report("executed_1", executed_commands(1U));
    return semihosting::store_file(arguments.at(3U), outputs) ? kPassed : kFailed;
}

}  // namespace pianola::baremetal
