// The smallest runtime on bare metal: an application that leaves out every feature its binary does not need
// (docs/guide/integration.md). It has one queue, a set-up and a step, transfers, and no signatures: a digest protects
// the binary, which lies in flash with the application. Validation, evidence, verified release, self-test and scrub are
// those of every runtime. What an application adds for signatures, memory protection and a cyclic task, main.cpp shows.
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
#include "pianola/session.h"
#include "road_signs_manifest.h"  // made by `pianola size --header`: what it needs
#include "road_signs_unsigned.h"  // made by `pianola embed`: the binary's symbols

namespace {

namespace board = pianola::board;
namespace manifest = pianola::manifest::road_signs;
namespace semihosting = pianola::semihosting;
using pianola::ByteSpan;
using pianola::MutableByteSpan;

constexpr std::uint32_t kInferences = 8U;

// No signature is verified: only the digest is.
const pianola::SessionConfig kConfig{{pianola::SignaturePolicy::kOptional, {}, nullptr, 0U},
                                     pianola::Release::kVerified};

enum ExitCode : std::int32_t { kDone = 0, kWrongResult = 1, kNotLoaded = 3, kFault = 4, kNotConfirmed = 5 };

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

// One inference on a self-test vector's picture, and the scrub of a slice.
ExitCode infer(pianola::Session& session, std::uint32_t number) noexcept {
    constexpr std::size_t kVectorBytes = std::size_t{manifest::kInputBytes[0]} + manifest::kOutputBytes[0];
    static std::array<std::uint8_t, manifest::kOutputBytes[0]> scores;
    const ByteSpan vectors = session.self_tests();
    const std::size_t start = (number % (vectors.size() / kVectorBytes)) * kVectorBytes;
    const std::array<ByteSpan, 1U> inputs{vectors.subspan(start, manifest::kInputBytes[0])};
    const std::array<MutableByteSpan, 1U> outputs{MutableByteSpan{scores.data(), scores.size()}};
    const ByteSpan expected = vectors.subspan(start + manifest::kInputBytes[0], scores.size());
    if (!is_ok(session.scrub()) ||
        !is_ok(session.submit(pianola::Span<const ByteSpan>{inputs}, pianola::Span<const MutableByteSpan>{outputs})) ||
        !is_ok(session.wait())) {
        return kFault;
    }
    const auto best = std::max_element(scores.begin(), scores.end(), [](std::uint8_t left, std::uint8_t right) {
        return static_cast<std::int8_t>(left) < static_cast<std::int8_t>(right);
    });
    semihosting::print("picture ");
    semihosting::print_number(number);
    semihosting::print(": class ");
    semihosting::print_number(static_cast<std::uint64_t>(best - scores.begin()));
    semihosting::print("\n");
    return std::equal(scores.begin(), scores.end(), expected.begin(), expected.end()) ? kDone : kWrongResult;
}

ExitCode run_application() noexcept {
    static board::BoardLink link{manifest::kDeviceSpec, board::shared_state()};
    static board::BoardDevice device{manifest::kDeviceSpec, board::shared_state(), link};
    static EcuPlatform platform;
    static const pianola::refdev::RefdevCommandSet kCommandSet;
    static pianola::Session session{device, platform, kCommandSet, kConfig};
    static pianola::PlanWorkspace workspace;
    static pianola::Verdict verdict;

    board::start_device_cores();
    const ByteSpan binary{&road_signs_unsigned[0], sizeof(road_signs_unsigned)};
    if (!is_ok(session.load(binary, workspace, verdict))) {
        semihosting::print("not loaded: ");
        semihosting::print(pianola::rule_id(verdict.rule));
        semihosting::print("\n");
        return kNotLoaded;
    }
    static std::array<std::uint8_t, manifest::kOutputBytes[0]> scratch;
    if (!is_ok(session.self_test(MutableByteSpan{scratch.data(), scratch.size()})) || !is_ok(session.confirm_start())) {
        return kNotConfirmed;
    }
    ExitCode code = kDone;
    for (std::uint32_t i = 0U; (code == kDone) && (i < kInferences); ++i) {
        code = infer(session, i);
    }
    return code;
}

}  // namespace

// Nothing on this board may ever get here; where it does, the core stops.
extern "C" bool pianola_on_violation(std::uintptr_t /*address*/, std::uintptr_t /*instruction*/) noexcept {
    return false;
}

int main() {
    semihosting::exit(run_application());
}
