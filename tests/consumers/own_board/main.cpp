// A trace binary for the NPU, in flash: validated and replayed on one input; what comes of it goes to the emulator's
// console, in hexadecimal.
#include <hal/boards/common/board.h>
#include <hal/boards/common/board_platform.h>
#include <hal/boards/common/semihosting.h>
#include <hal/devices/npu/npu.h>
#include <pianola/session.h>

#include <array>
#include <cstdint>

#include "copies.h"  // by `pianola embed`: the binary's symbols

namespace {

namespace board = pianola::board;
namespace semihosting = pianola::semihosting;

constexpr std::size_t kBytes = 64U;
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

std::int32_t run_application() noexcept {
    static npu::Device device;
    static EcuPlatform platform;
    static const npu::CommandSet kCommandSet;
    static pianola::Session session{device, platform, kCommandSet, kConfig};
    static pianola::PlanWorkspace workspace;
    static pianola::Verdict verdict;
    static std::array<std::uint8_t, kBytes> input;
    static std::array<std::uint8_t, kBytes> output;

    if (!is_ok(session.load({&copies[0], sizeof(copies)}, workspace, verdict))) {
        semihosting::print("not loaded: ");
        semihosting::print(pianola::rule_id(verdict.rule));
        semihosting::print("\n");
        return 3;
    }
    for (std::size_t i = 0U; i < kBytes; ++i) {
        input[i] = static_cast<std::uint8_t>(3U * i + 1U);
    }
    const std::array<pianola::ByteSpan, 1U> inputs{pianola::ByteSpan{input.data(), input.size()}};
    const std::array<pianola::MutableByteSpan, 1U> outputs{pianola::MutableByteSpan{output.data(), output.size()}};
    if (!is_ok(session.run({inputs.data(), inputs.size()}, {outputs.data(), outputs.size()}))) {
        return 5;
    }
    semihosting::print(board::name());
    semihosting::print(" output");
    for (const std::uint8_t byte : output) {
        semihosting::print(" ");
        semihosting::print_number(byte);
    }
    semihosting::print("\n");
    return 0;
}

}  // namespace

extern "C" bool pianola_on_violation(std::uintptr_t, std::uintptr_t) noexcept {
    return false;
}

int main() {
    semihosting::exit(run_application());
}
