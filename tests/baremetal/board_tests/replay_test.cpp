// replay BINARY INPUTS OUTPUTS LOG [views|transfers|pipelined [file]]: replays every record of a file of inputs, one
// after another; pipelined: as one run with a prologue, as many steps in flight as the binary admits, and an epilogue;
// file: on a device that reads weights in the binary.
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

// The first call decides.
Bench& bench(bool reads_file = false) noexcept {
    static Bench the_bench{refdev::FaultScript{}, kPatientResetLimitUs,
                           reads_file ? file_device() : refdev::DeviceSpec{}};
    return the_bench;
}

// The tensors of a record, one after another.
using Inputs = std::array<ByteSpan, kMaxInputs>;
using Outputs = std::array<MutableByteSpan, kMaxOutputs>;

// The records of one file, and where their outputs go.
struct Records {
    ByteSpan inputs;
    MutableByteSpan outputs;
    std::uint32_t count{0U};

    [[nodiscard]] Inputs input(std::uint32_t record) const noexcept {
        const Plan& plan = bench().session.plan();
        std::size_t begin = (inputs.size() / count) * record;
        Inputs tensors;
        for (std::uint32_t i = 0U; i < plan.input_count; ++i) {
            tensors[i] = inputs.subspan(begin, plan.inputs[i].bytes);
            begin += tensors[i].size();
        }
        return tensors;
    }
    [[nodiscard]] Outputs output(std::uint32_t record) const noexcept {
        const Plan& plan = bench().session.plan();
        std::size_t begin = (outputs.size() / count) * record;
        Outputs tensors;
        for (std::uint32_t i = 0U; i < plan.output_count; ++i) {
            tensors[i] = outputs.subspan(begin, plan.outputs[i].bytes);
            begin += tensors[i].size();
        }
        return tensors;
    }
};

[[nodiscard]] Span<const ByteSpan> used(const Inputs& inputs) noexcept {
    return {inputs.data(), bench().session.plan().input_count};
}
[[nodiscard]] Span<const MutableByteSpan> used(const Outputs& outputs) noexcept {
    return {outputs.data(), bench().session.plan().output_count};
}

Status replay_on_views(const Inputs& inputs, const Outputs& outputs) noexcept {
    Session& session = bench().session;
    Status status = Status::kOk;
    for (std::uint32_t i = 0U; is_ok(status) && (i < session.plan().input_count); ++i) {
        MutableByteSpan view;
        status = session.input_view(i, view);
        if (is_ok(status)) {
            std::copy(inputs[i].begin(), inputs[i].end(), view.begin());
        }
    }
    status = is_ok(status) ? session.submit() : status;
    status = is_ok(status) ? finish(bench()) : status;
    for (std::uint32_t i = 0U; is_ok(status) && (i < session.plan().output_count); ++i) {
        ByteSpan view;
        status = session.output_view(i, view);
        std::copy(view.begin(), view.end(), outputs[i].begin());
    }
    return status;
}

// Every step takes the next record's input and gives the last one's output.
Status replay_pipelined(const Records& records) noexcept {
    Session& session = bench().session;
    Status status = session.start(used(records.input(0U)));
    status = is_ok(status) ? finish(bench()) : status;
    std::uint32_t under_way = 0U;
    for (std::uint32_t record = 1U; is_ok(status) && (record < records.count); ++record) {
        if (under_way == session.plan().steps_in_flight) {
            status = finish(bench());
            under_way -= 1U;
        }
        status =
            is_ok(status) ? session.submit(used(records.input(record)), used(records.output(record - 1U))) : status;
        under_way += 1U;
    }
    for (; is_ok(status) && (under_way > 0U); --under_way) {
        status = finish(bench());
    }
    status = is_ok(status) ? session.stop(used(records.output(records.count - 1U))) : status;
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
    static_cast<void>(bench((arguments.count() > 6U) && (std::strcmp(arguments.at(6U), "file") == 0)));
    LoadArea area;
    const ByteSpan file = area.load(arguments.at(1U));
    const ByteSpan inputs = area.load(arguments.at(2U));
    if (file.empty() || inputs.empty() || !load_binary(bench(), file)) {
        return kNotLoaded;
    }
    const Plan& plan = bench().session.plan();
    std::uint32_t input_bytes = 0U;
    std::uint32_t output_bytes = 0U;
    for (std::uint32_t i = 0U; i < plan.input_count; ++i) {
        input_bytes += plan.inputs[i].bytes;
    }
    for (std::uint32_t i = 0U; i < plan.output_count; ++i) {
        output_bytes += plan.outputs[i].bytes;
    }
    const auto records = static_cast<std::uint32_t>(inputs.size() / input_bytes);
    const MutableByteSpan outputs = area.allocate(records * output_bytes);
    if ((records == 0U) || outputs.empty()) {
        return kNotLoaded;
    }
    const Records all{inputs, outputs, records};
    const char* const io = (arguments.count() > 5U) ? arguments.at(5U) : "views";
    const bool transfers = std::strcmp(io, "transfers") == 0;
    const bool pipelined = std::strcmp(io, "pipelined") == 0;
    // Before the first step what the prologue does is done; a pipelined run does it with its first inputs.
    Status status = pipelined ? replay_pipelined(all) : bench().session.reset_state();
    for (std::uint32_t record = 0U; is_ok(status) && !pipelined && (record < records); ++record) {
        status = transfers ? bench().session.run(used(all.input(record)), used(all.output(record)))
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
