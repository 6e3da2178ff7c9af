// device_count BINARY INPUT: what one inference costs a device of this board's cores, kernels and front, between the
// instruction counter's markers.
//
// One section: service() from submit() to the end of the step. What the session does around it is not counted. On
// boards with device cores the device of this test works on the ECU's core all the same, which is of the same kind, or
// which the emulator makes so (ecu_as_device), and executes the same code: their own device is given nothing, so that
// polling for work is not counted.
#include <algorithm>

#include "hal/boards/common/board_device.h"
#include "hal/boards/common/board_platform.h"
#include "hal/boards/common/shared_memory.h"
#include "pianola/development_config.h"
#include "tests/baremetal/board_tests/bench.h"
#include "tests/baremetal/board_tests/counted.h"

namespace pianola::baremetal {
namespace {

// A link to a device that this core is.
class OneCoreLink final : public refdev::DeviceLink {
  public:
    explicit OneCoreLink(refdev::SharedState& shared) noexcept : link_{refdev::DeviceSpec{}, shared}, device_{shared} {}

    [[nodiscard]] std::uint8_t* memory_at(std::uint32_t address, std::uint32_t size_bytes) noexcept override {
        return link_.memory_at(address, size_bytes);
    }
    void signal(std::uint32_t /*queue*/) noexcept override {}
    Status service() noexcept override {
        pianola_count_resume();
        static_cast<void>(device_.step());
        pianola_count_pause();
        return Status::kOk;
    }
    void relax() noexcept override {}
    [[nodiscard]] std::uint64_t now_us() noexcept override { return link_.now_us(); }
    void clean(ByteSpan memory) noexcept override { link_.clean(memory); }
    void invalidate(MutableByteSpan memory) noexcept override { link_.invalidate(memory); }

  private:
    board::BoardLink link_;
    board::DeviceServer device_;
};

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

[[nodiscard]] Status infer(ByteSpan input) noexcept {
    MutableByteSpan input_view;
    Status status = bench().session.input_view(0U, input_view);
    if (!is_ok(status)) {
        return status;
    }
    std::copy_n(input.begin(), std::min(input.size(), input_view.size()), input_view.begin());
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

}  // namespace

std::int32_t test_device_count(const Arguments& arguments) noexcept {
    if (arguments.count() != 3U) {
        return kWrongUsage;
    }
    pianola_count_pause();
    LoadArea area;
    const ByteSpan file = area.load(arguments.at(1U));
    const ByteSpan input = area.load(arguments.at(2U));
    if (file.empty() || input.empty() || !load_binary(bench().session, bench().workspace, bench().verdict, file)) {
        return kNotLoaded;
    }
    const Status status = infer(input);
    if (!is_ok(status)) {
        report("inference", static_cast<std::uint32_t>(status));
        return kFailed;
    }
    return kPassed;
}

}  // namespace pianola::baremetal
