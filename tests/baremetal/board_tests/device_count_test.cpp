// device_count BINARY INPUT [COMMANDS [OUTPUTS]]: what one inference costs a device of this board's cores, kernels and
// front, between the instruction counter's markers. COMMANDS is written: what the device did in each part of the
// section, OneCoreLink::keep_commands(), of a binary with one queue. OUTPUTS gets the outputs.
//
// One section: service() from submit() to the end of the step. What the session does around it is not counted. On
// boards with device cores the device of this test works on the ECU's core all the same, which is of the same kind, or
// which the emulator makes so (ecu_as_device), and executes the same code: their own device is given nothing, so that
// polling for work is not counted.
#include <algorithm>

#include "hal/boards/common/board_device.h"
#include "hal/boards/common/board_platform.h"
#include "hal/boards/common/semihosting.h"
#include "hal/boards/common/shared_memory.h"
#include "pianola/development_config.h"
#include "tests/baremetal/board_tests/bench.h"
#include "tests/baremetal/board_tests/counted.h"
#include "tests/baremetal/board_tests/one_core_link.h"

namespace pianola::baremetal {
namespace {

struct DeviceBench {
    refdev::SharedState shared;
    OneCoreLink link{shared};
    TestPlatform platform;
    board::BoardDevice device{refdev::DeviceSpec{}, shared, link};
    refdev::RefdevCommandSet command_set;
    SessionConfig config{kDevelopmentTrust, Release::kAtCompletion};
    Session session{device, platform, command_set, config};
    PlanWorkspace workspace;
    Verdict verdict;
};

DeviceBench& bench() noexcept {
    static DeviceBench the_bench;
    return the_bench;
}

// The inputs lie one after another.
[[nodiscard]] Status write_inputs(ByteSpan record) noexcept {
    Status status = Status::kOk;
    std::size_t read = 0U;
    for (std::uint32_t i = 0U; (i < bench().session.plan().input_count) && is_ok(status); ++i) {
        MutableByteSpan view;
        status = bench().session.input_view(i, view);
        const ByteSpan input = record.subspan(read, std::min(view.size(), record.size() - read));
        std::copy(input.begin(), input.end(), view.begin());
        read += input.size();
    }
    return status;
}

[[nodiscard]] Status infer(ByteSpan record) noexcept {
    bench().link.set_counting(false);
    Status status = bench().session.reset_state();
    bench().link.set_counting(true);
    if (is_ok(status)) {
        status = write_inputs(record);
    }
    if (!is_ok(status)) {
        return status;
    }
    pianola_count_begin();
    pianola_count_pause();
    status = bench().session.submit();
    if (is_ok(status)) {
        status = Status::kPending;
    }
    while (status == Status::kPending) {  // ends with the emulator's time limit, where the device never finishes
        status = bench().session.poll();
    }
    pianola_count_resume();
    pianola_count_end();
    pianola_count_pause();
    return status;
}

// All outputs, one after another.
[[nodiscard]] std::int32_t store_outputs(LoadArea& area, const char* file_name) noexcept {
    const auto& plan = bench().session.plan();
    std::uint32_t size_bytes = 0U;
    for (std::uint32_t i = 0U; i < plan.output_count; ++i) {
        size_bytes += plan.outputs[i].bytes;
    }
    const MutableByteSpan outputs = area.allocate(size_bytes);
    std::size_t filled = 0U;
    for (std::uint32_t i = 0U; (i < plan.output_count) && !outputs.empty(); ++i) {
        ByteSpan view;
        if (!is_ok(bench().session.output_view(i, view))) {
            return kFailed;
        }
        std::copy(view.begin(), view.end(), outputs.subspan(filled, view.size()).begin());
        filled += view.size();
    }
    return (!outputs.empty() && semihosting::store_file(file_name, outputs)) ? kPassed : kFailed;
}

}  // namespace

std::int32_t test_device_count(const Arguments& arguments) noexcept {
    constexpr std::uint32_t kKeptBytes = 1024U * 1024U;
    if (arguments.count() < 3U) {
        return kWrongUsage;
    }
    pianola_count_pause();
    LoadArea area;
    const ByteSpan file = area.load(arguments.at(1U));
    const ByteSpan input = area.load(arguments.at(2U));
    if (file.empty() || input.empty() || !load_binary(bench().session, bench().workspace, bench().verdict, file)) {
        return kNotLoaded;
    }
    const char* const commands_file = arguments.at(3U);
    const MutableByteSpan commands = (commands_file != nullptr) ? area.allocate(kKeptBytes) : MutableByteSpan{};
    bench().link.keep_commands(commands);
    const Status status = infer(input);
    if (!is_ok(status)) {
        report("inference", static_cast<std::uint32_t>(status));
        return kFailed;
    }
    const bool is_complete =
        bench().link.has_kept_all() &&
        ((commands_file == nullptr) || semihosting::store_file(commands_file, bench().link.kept_commands()));
    if (!is_complete) {
        return kFailed;
    }
    return (arguments.count() > 4U) ? store_outputs(area, arguments.at(4U)) : kPassed;
}

}  // namespace pianola::baremetal
