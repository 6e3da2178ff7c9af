// A trace binary in flash, validated and replayed on one input; what it computes goes to the emulator's console, in
// hexadecimal.
#include <hal/boards/common/board.h>
#include <hal/boards/common/board_device.h>
#include <hal/boards/common/board_link.h>
#include <hal/boards/common/board_platform.h>
#include <hal/boards/common/semihosting.h>
#include <hal/boards/common/shared_memory.h>
#include <hal/devices/refdev/refdev_command_set.h>
#include <pianola/session.h>

#include <array>
#include <cstdint>

#include "ecu.h"  // by `pianola embed`: the binary's symbols
#include "ecu_input.h"
#include "ecu_manifest.h"  // by `pianola size --header`: what it needs

namespace {

namespace board = pianola::board;
namespace manifest = pianola::manifest::ecu;
namespace semihosting = pianola::semihosting;

const pianola::SessionConfig kConfig{{pianola::SignaturePolicy::kOptional, {}, nullptr, 0U},
                                     pianola::Release::kVerified};

class EcuPlatform final : public board::BoardPlatform {
  public:
    EcuPlatform() = default;
    ~EcuPlatform() = default;

    void serve_watchdog() noexcept override {}
    pianola::Status lowest_security_version(std::uint32_t& version) noexcept override {
        version = 0U;
        return pianola::Status::kOk;
    }
    pianola::Status raise_security_version(std::uint32_t) noexcept override { return pianola::Status::kOk; }
    void enter_safe_state(const pianola::FaultRecord&) noexcept override { semihosting::print("safe state\n"); }
};

void print_bytes(pianola::ByteSpan bytes) noexcept {
    constexpr const char* kDigits = "0123456789abcdef";
    semihosting::print("output ");
    for (const std::uint8_t byte : bytes) {
        const std::array<char, 3U> text{kDigits[byte >> 4U], kDigits[byte & 15U], '\0'};
        semihosting::print(text.data());
    }
    semihosting::print("\n");
}

std::int32_t run_application() noexcept {
    static board::BoardLink link{manifest::kDeviceSpec, board::shared_state()};
    static board::BoardDevice device{manifest::kDeviceSpec, board::shared_state(), link};
    static EcuPlatform platform;
    static const pianola::refdev::RefdevCommandSet kCommandSet;
    static pianola::Session session{device, platform, kCommandSet, kConfig};
    static pianola::PlanWorkspace workspace;
    static pianola::Verdict verdict;
    static std::array<std::uint8_t, manifest::kOutputBytes[0]> scores;

    board::start_device_cores();
    if (!is_ok(session.load({&ecu[0], sizeof(ecu)}, workspace, verdict))) {
        semihosting::print("not loaded: ");
        semihosting::print(pianola::rule_id(verdict.rule));
        semihosting::print("\n");
        return 3;
    }
    if (!is_ok(session.self_test({scores.data(), scores.size()}))) {
        return 4;
    }
    const std::array<pianola::ByteSpan, 1U> inputs{pianola::ByteSpan{kInput.data(), kInput.size()}};
    const std::array<pianola::MutableByteSpan, 1U> outputs{pianola::MutableByteSpan{scores.data(), scores.size()}};
    if (!is_ok(session.run({inputs.data(), inputs.size()}, {outputs.data(), outputs.size()}))) {
        return 5;
    }
    print_bytes({scores.data(), scores.size()});
    return 0;
}

}  // namespace

extern "C" bool pianola_on_violation(std::uintptr_t, std::uintptr_t) noexcept {
    return false;
}

int main() {
    semihosting::exit(run_application());
}
