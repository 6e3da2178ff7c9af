// An ECU application on bare metal that drives two devices, on a board on which each device core is one:
// docs/guide/boards.md. The binary is that of docs/examples/host_api/capture_mesh.cpp; docs/examples/ecu_mesh.cpp is
// the same on the simulator. What an application adds for signatures, memory protection and a cyclic task, main.cpp
// shows.
#include "two_devices.h"  // made by `pianola embed`: the binary's symbols

#include <array>
#include <cstdint>

#include "hal/boards/common/board.h"
#include "hal/boards/common/board_device.h"
#include "hal/boards/common/board_platform.h"
#include "hal/boards/common/core_device.h"
#include "hal/boards/common/semihosting.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "pianola/development_config.h"
#include "pianola/session.h"
#include "two_devices_manifest.h"  // made by `pianola size --header`: what it needs

namespace {

namespace board = pianola::board;
namespace manifest = pianola::manifest::two_devices;
namespace semihosting = pianola::semihosting;
using pianola::ByteSpan;
using pianola::MutableByteSpan;

constexpr std::uint32_t kInferences = 8U;

enum ExitCode : std::int32_t { kDone = 0, kWrongResult = 1, kNotLoaded = 3, kFault = 4 };

class EcuPlatform final : public board::BoardPlatform {
  public:
    EcuPlatform() = default;
    ~EcuPlatform() = default;
    EcuPlatform(const EcuPlatform&) = delete;
    EcuPlatform(EcuPlatform&&) = delete;
    EcuPlatform& operator=(const EcuPlatform&) = delete;
    EcuPlatform& operator=(EcuPlatform&&) = delete;

    void serve_watchdog() noexcept override {}
    pianola::Status lowest_security_version(std::uint32_t& version) noexcept override {
        version = 0U;
        return pianola::Status::kOk;
    }
    pianola::Status raise_security_version(std::uint32_t /*version*/) noexcept override { return pianola::Status::kOk; }
    void enter_safe_state(const pianola::FaultRecord& fault) noexcept override {
        semihosting::print("safe state: fault of the device in column ");
        semihosting::print_number(fault.column);
        semihosting::print("\n");
    }
};

// One inference: each device adds 1 to its half.
ExitCode infer(pianola::Session& session, std::uint32_t number) noexcept {
    static std::array<std::uint8_t, manifest::kInputBytes[0]> input;
    static std::array<std::uint8_t, manifest::kOutputBytes[0]> output;
    for (std::uint32_t i = 0U; i < input.size(); ++i) {
        input[i] = static_cast<std::uint8_t>((i + number) % 100U);
    }
    const std::array<ByteSpan, 1U> inputs{ByteSpan{input.data(), input.size()}};
    const std::array<MutableByteSpan, 1U> outputs{MutableByteSpan{output.data(), output.size()}};
    if (!is_ok(session.run(inputs, outputs))) {
        return kFault;
    }
    bool is_right = true;
    for (std::uint32_t i = 0U; i < output.size(); ++i) {
        is_right = is_right && (output[i] == (input[i] + 1U));
    }
    return is_right ? kDone : kWrongResult;
}

ExitCode run_application() noexcept {
    constexpr pianola::refdev::DeviceSpec kSpec = manifest::kDeviceSpec;  // of each of the two
    static std::array<board::CoreLink, 2U> links{{{kSpec, 0U}, {kSpec, 1U}}};
    static std::array<board::BoardDevice, 2U> devices{
        {{kSpec, board::core_state(0U), links[0]}, {kSpec, board::core_state(1U), links[1]}}};
    static EcuPlatform platform;
    static const pianola::refdev::RefdevCommandSet kCommandSet;
    const std::array<pianola::Device*, 2U> set{&devices[0], &devices[1]};  // in row-major order
    static pianola::Session session{pianola::DeviceSet{{set.data(), set.size()}, 1U, 2U}, platform, kCommandSet,
                                    pianola::kDevelopmentConfig};
    static pianola::PlanWorkspace workspace;
    static pianola::Verdict verdict;

    board::start_device_cores();
    if (!is_ok(session.load(ByteSpan{&two_devices[0], sizeof(two_devices)}, workspace, verdict))) {
        semihosting::print("not loaded: ");
        semihosting::print(pianola::rule_id(verdict.rule));
        semihosting::print("\n");
        return kNotLoaded;
    }
    for (std::uint32_t number = 0U; number < kInferences; ++number) {
        const ExitCode code = infer(session, number);
        if (code != kDone) {
            return code;
        }
    }
    semihosting::print("two devices, right\n");
    return kDone;
}

}  // namespace

// Protection is not set up: nothing gets here.
extern "C" bool pianola_on_violation(std::uintptr_t /*address*/, std::uintptr_t /*instruction*/) noexcept {
    return false;
}

int main() {
    semihosting::exit(run_application());
}
