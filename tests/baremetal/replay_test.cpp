// replay BINARY INPUTS OUTPUTS LOG [views|transfers]: replays every record of a file of inputs, one after another.
//
// Writes the outputs and the execution log of all queues. The host compares both: outputs with goldens, the log with the
// simulator's.
#include <algorithm>
#include <cstring>

#include "hal/board/semihosting.h"
#include "hal/board/shared_memory.h"
#include "tests/baremetal/bench.h"

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
    const std::uint32_t input_bytes = plan.input_bytes[0];
    const std::uint32_t output_bytes = plan.output_bytes[0];
    const auto records = static_cast<std::uint32_t>(inputs.size() / input_bytes);
    const MutableByteSpan outputs = area.allocate(records * output_bytes);
    if ((records == 0U) || outputs.empty()) {
        return kNotLoaded;
    }
    const bool transfers = (arguments.count() > 5U) && (std::strcmp(arguments.at(5U), "transfers") == 0);
    for (std::uint32_t record = 0U; record < records; ++record) {
        const ByteSpan input = inputs.subspan(record * input_bytes, input_bytes);
        const MutableByteSpan output = outputs.subspan(record * output_bytes, output_bytes);
        const Status status = transfers ? replay_with_transfers(input, output) : replay_on_views(input, output);
        if (!is_ok(status)) {
            report_fault(bench().session.fault());
            return kFailed;
        }
    }
    report("records", records);
    report("watchdog", bench().platform.watchdog_services());
    const bool stored = semihosting::store_file(arguments.at(3U), outputs) && store_logs(arguments.at(4U));
    return stored ? kPassed : kFailed;
}

}  // namespace pianola::baremetal
