// Your own binary on a board: validated, loaded, self-tested, and replayed once for each of its self-test vectors.
// docs/guide/tutorial.md builds it with -DPIANOLA_OWN_BINARY=model.ptb; without that it has the project's sample. The
// binary is captured with the board's description and at least one vector, and is not signed. What a product adds
// (signatures, memory protection, zero-copy I/O, a cyclic task) is in main.cpp.
#include "own_model.h"  // made by `pianola embed`: the binary's symbols

#include <algorithm>
#include <array>
#include <cstdint>

#include "hal/boards/common/board.h"
#include "hal/boards/common/board_device.h"
#include "hal/boards/common/board_link.h"
#include "hal/boards/common/board_platform.h"
#include "hal/boards/common/fault_report.h"
#include "hal/boards/common/semihosting.h"
#include "hal/boards/common/shared_memory.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "own_model_manifest.h"  // made by `pianola size --header`: what it needs
#include "pianola/development_config.h"
#include "pianola/session.h"

namespace {

namespace board = pianola::board;
namespace manifest = pianola::manifest::own_model;
namespace semihosting = pianola::semihosting;
using pianola::ByteSpan;
using pianola::MutableByteSpan;

enum ExitCode : std::int32_t { kDone = 0, kWrongResult = 1, kNotLoaded = 3, kFault = 4, kNotConfirmed = 5 };

template <std::size_t kCount>
constexpr std::uint32_t sum(const std::array<std::uint32_t, kCount>& sizes) noexcept {
    std::uint32_t total = 0U;
    for (const std::uint32_t size : sizes) {
        total += size;
    }
    return total;
}
constexpr std::uint32_t kInputBytes = sum(manifest::kInputBytes);
constexpr std::uint32_t kOutputBytes = sum(manifest::kOutputBytes);

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
        semihosting::print("safe state\n");
        board::print_fault(fault);
    }
};

void print(const char* text, std::uint64_t number) noexcept {
    semihosting::print(text);
    semihosting::print_number(number);
}

// One step with a vector's inputs; its outputs are those that the capture computed, to the byte.
ExitCode replay(pianola::Session& session, ByteSpan vector) noexcept {
    static std::array<std::uint8_t, kOutputBytes> results;
    std::array<ByteSpan, manifest::kInputBytes.size()> inputs;
    std::size_t at = 0U;
    for (std::size_t i = 0U; i < inputs.size(); ++i) {
        inputs[i] = vector.subspan(at, manifest::kInputBytes[i]);
        at += manifest::kInputBytes[i];
    }
    std::array<MutableByteSpan, manifest::kOutputBytes.size()> outputs;
    at = 0U;
    for (std::size_t i = 0U; i < outputs.size(); ++i) {
        outputs[i] = MutableByteSpan{results.data(), results.size()}.subspan(at, manifest::kOutputBytes[i]);
        at += manifest::kOutputBytes[i];
    }
    if (!is_ok(session.submit(pianola::Span<const ByteSpan>{inputs}, pianola::Span<const MutableByteSpan>{outputs})) ||
        !is_ok(session.wait())) {
        return kFault;
    }
    const ByteSpan expected = vector.subspan(kInputBytes, kOutputBytes);
    return std::equal(results.begin(), results.end(), expected.begin(), expected.end()) ? kDone : kWrongResult;
}

const char* ending(ExitCode code) noexcept {
    switch (code) {
        case kDone:
            return " steps, every output as captured\n";
        case kWrongResult:
            return " steps, the last one wrong\n";
        default:
            return " steps, the last one not completed\n";
    }
}

ExitCode run_application() noexcept {
    static board::BoardLink link{manifest::kDeviceSpec, board::shared_state()};
    static board::BoardDevice device{manifest::kDeviceSpec, board::shared_state(), link};
    static EcuPlatform platform;
    static const pianola::refdev::RefdevCommandSet kCommandSet{*manifest::kDeviceSpec.cost_model};
    static pianola::Session session{device, platform, kCommandSet, pianola::kDevelopmentConfig};
    static pianola::PlanWorkspace workspace;
    static pianola::Verdict verdict;

    board::start_device_cores();
    const ByteSpan binary{&own_model[0], sizeof(own_model)};
    if (!is_ok(session.load(binary, workspace, verdict))) {
        semihosting::print("not loaded: ");
        semihosting::print(pianola::rule_id(verdict.rule));
        print(" at offset ", verdict.file_offset);
        semihosting::print("\n");
        return kNotLoaded;
    }
    print("loaded: ", binary.size());
    print(" bytes, ", manifest::kStepCycles);
    semihosting::print(" device cycles a step\n");

    static std::array<std::uint8_t, kOutputBytes> scratch;
    if (!is_ok(session.self_test(MutableByteSpan{scratch.data(), scratch.size()})) || !is_ok(session.confirm_start())) {
        semihosting::print("self-test: failed\n");
        return kNotConfirmed;
    }
    print("self-test: ", session.self_test_count());
    semihosting::print(" vectors passed\n");

    ExitCode code = kDone;
    const ByteSpan vectors = session.self_tests();
    std::uint32_t steps = 0U;
    for (; (code == kDone) && (steps < session.self_test_count()); ++steps) {
        constexpr std::size_t kVectorBytes = std::size_t{kInputBytes} + kOutputBytes;
        code = replay(session, vectors.subspan(steps * kVectorBytes, kVectorBytes));
    }
    print("replayed: ", steps);
    semihosting::print(ending(code));
    return code;
}

}  // namespace

// Protection is not set up: nothing gets here.
extern "C" bool pianola_on_violation(std::uintptr_t /*address*/, std::uintptr_t /*instruction*/) noexcept {
    return false;
}

int main() {
    semihosting::exit(run_application());
}
