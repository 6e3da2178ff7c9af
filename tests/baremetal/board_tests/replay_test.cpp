// replay BINARY INPUTS OUTPUTS LOG [views|transfers|pipelined]: replays every record of a file of inputs, one after
// another; pipelined: as one run with a prologue, as many steps in flight as the binary admits, and an epilogue.
//
// Writes the outputs and the execution log of all queues. The host compares both: outputs with goldens, the log with
// the simulator's.
#include <algorithm>
#include <cstring>

#include "hal/boards/common/semihosting.h"
#include "hal/boards/common/shared_memory.h"
#include "tests/baremetal/board_tests/bench.h"

namespace pianola::baremetal {
namespace {

Bench& bench() noexcept {
    static Bench the_bench{refdev::FaultScript{}};
    return the_bench;
}

Status replay_on_views(ByteSpan input, MutableByteSpan output) noexcept {
    MutableByteSpan input_view;
    Status status = bench().session.input_view(0U, input_view);
    if (!is_ok(status)) {
        return status;
    }
    std::copy(input.begin(), input.end(), input_view.begin());
    status = bench().session.submit();
    if (!is_ok(status)) {
        return status;
    }
    status = finish(bench());
    if (!is_ok(status)) {
        return status;
    }
    ByteSpan output_view;
    status = bench().session.output_view(0U, output_view);
    std::copy(output_view.begin(), output_view.end(), output.begin());
    return status;
}

Status replay_with_transfers(ByteSpan input, MutableByteSpan output) noexcept {
    const std::array<ByteSpan, 1U> inputs{input};
    const std::array<MutableByteSpan, 1U> outputs{output};
    return bench().session.run(inputs, outputs);
}

// The records of one file, and where their outputs go.
struct Records {
    ByteSpan inputs;
    MutableByteSpan outputs;
    std::uint32_t count{0U};

    [[nodiscard]] ByteSpan input(std::uint32_t record) const noexcept {
        const std::size_t bytes = inputs.size() / count;
        return inputs.subspan(record * bytes, bytes);
    }
    [[nodiscard]] MutableByteSpan output(std::uint32_t record) const noexcept {
        const std::size_t bytes = outputs.size() / count;
        return outputs.subspan(record * bytes, bytes);
    }
};

// Every step takes the next record's input and gives the last one's output.
Status replay_pipelined(const Records& records) noexcept {
    Session& session = bench().session;
    std::array<ByteSpan, 1U> inputs{records.input(0U)};
    std::array<MutableByteSpan, 1U> outputs;
    Status status = session.start(inputs);
    status = is_ok(status) ? finish(bench()) : status;
    std::uint32_t under_way = 0U;
    for (std::uint32_t record = 1U; is_ok(status) && (record < records.count); ++record) {
        if (under_way == session.plan().steps_in_flight) {
            status = finish(bench());
            under_way -= 1U;
        }
        inputs[0] = records.input(record);
        outputs[0] = records.output(record - 1U);
        status = is_ok(status) ? session.submit(inputs, outputs) : status;
        under_way += 1U;
    }
    for (; is_ok(status) && (under_way > 0U); --under_way) {
        status = finish(bench());
    }
    outputs[0] = records.output(records.count - 1U);
    status = is_ok(status) ? session.stop(outputs) : status;
    return is_ok(status) ? finish(bench()) : status;
}

[[nodiscard]] bool store_logs(const char* file_name) noexcept {
    const auto& logs = board::shared_state().logs;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-005
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(logs.data());
    return semihosting::store_file(file_name, ByteSpan{bytes, sizeof(logs)});
}

}  // namespace

std::int32_t test_replay(const Arguments& arguments) noexcept {
    if (arguments.count() < 5U) {
        return kWrongUsage;
    }
    LoadArea area;
    const ByteSpan file = area.load(arguments.at(1U));
    const ByteSpan inputs = area.load(arguments.at(2U));
    if (file.empty() || inputs.empty() || !load_binary(bench(), file)) {
        return kNotLoaded;
    }
    const Plan& plan = bench().session.plan();
    const std::uint32_t input_bytes = plan.inputs[0].bytes;
    const std::uint32_t output_bytes = plan.outputs[0].bytes;
    const auto records = static_cast<std::uint32_t>(inputs.size() / input_bytes);
    const MutableByteSpan outputs = area.allocate(records * output_bytes);
    if ((records == 0U) || outputs.empty()) {
        return kNotLoaded;
    }
    const Records all{inputs, outputs, records};
    const char* const io = (arguments.count() > 5U) ? arguments.at(5U) : "views";
    const bool transfers = std::strcmp(io, "transfers") == 0;
    const bool pipelined = std::strcmp(io, "pipelined") == 0;
    Status status = pipelined ? replay_pipelined(all) : Status::kOk;
    for (std::uint32_t record = 0U; is_ok(status) && !pipelined && (record < records); ++record) {
        status = transfers ? replay_with_transfers(all.input(record), all.output(record))
                           : replay_on_views(all.input(record), all.output(record));
    }
    if (!is_ok(status)) {
        report_fault(bench().session.fault());
        return kFailed;
    }
    report("records", records);
    report("watchdog", bench().platform.watchdog_services());
    const bool stored = semihosting::store_file(arguments.at(3U), outputs) && store_logs(arguments.at(4U));
    return stored ? kPassed : kFailed;
}

}  // namespace pianola::baremetal
