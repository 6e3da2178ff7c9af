// A complete ECU application on bare metal: one signed trace binary in flash, authenticated, validated, loaded, tested
// and replayed in a cyclic task, with zero-copy I/O, verified results, a background scrub, the memory protection unit
// set up from the memory manifest, and one place where every failure ends. The same source runs on every board;
// docs/guide/boards.md explains it, and CI builds and runs it.
//
// What an integrator replaces: EcuPlatform (watchdog, counter, safe state), Camera (where inputs come from), the key,
// and what is done with a result.
#include <algorithm>
#include <array>
#include <cstdint>

#include "fleet_key.h"  // made by `pianola pubkey`: who may sign
#include "hal/arch/protection.h"
#include "hal/boards/common/board.h"
#include "hal/boards/common/board_device.h"
#include "hal/boards/common/board_link.h"
#include "hal/boards/common/board_platform.h"
#include "hal/boards/common/fault_report.h"
#include "hal/boards/common/semihosting.h"
#include "hal/boards/common/shared_memory.h"
#include "hal/crypto/bearssl_verifier.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "pianola/session.h"
#include "road_signs.h"           // made by `pianola embed`: the binary's symbols
#include "road_signs_manifest.h"  // made by `pianola size --header`: what it needs

namespace {

namespace board = pianola::board;
namespace manifest = pianola::manifest::road_signs;
namespace protection = pianola::protection;
namespace semihosting = pianola::semihosting;
using pianola::ByteSpan;
using pianola::MutableByteSpan;
using pianola::Status;

constexpr std::uint32_t kInferences = 8U;

// Only what the fleet's key has signed is loaded. In flash.
constexpr std::array<pianola::TrustedKey, 1U> kKeys{kFleetKey};
const pianola::BearSslVerifier kVerifier;
const pianola::SessionConfig kConfig{
    {pianola::SignaturePolicy::kRequired, pianola::Span<const pianola::TrustedKey>{kKeys.data(), kKeys.size()},
     &kVerifier, 1U},
    pianola::Release::kVerified};

enum ExitCode : std::int32_t {
    kDone = 0,
    kWrongResult = 1,
    kNotProtected = 2,
    kNotLoaded = 3,
    kFault = 4,
    kNotConfirmed = 5
};

class EcuPlatform final : public board::BoardPlatform {
  public:
    EcuPlatform() = default;
    ~EcuPlatform() = default;
    EcuPlatform(const EcuPlatform&) = delete;
    EcuPlatform(EcuPlatform&&) = delete;
    EcuPlatform& operator=(const EcuPlatform&) = delete;
    EcuPlatform& operator=(EcuPlatform&&) = delete;

    void serve_watchdog() noexcept override {}  // here the ECU's own watchdog is served, and nowhere else
    // An ECU keeps this counter in memory that survives power cycles and cannot be set back.
    pianola::Status lowest_security_version(std::uint32_t& version) noexcept override {
        version = lowest_version_;
        return pianola::Status::kOk;
    }
    pianola::Status raise_security_version(std::uint32_t version) noexcept override {
        lowest_version_ = version;
        return pianola::Status::kOk;
    }
    void enter_safe_state(const pianola::FaultRecord& fault) noexcept override {
        semihosting::print("safe state\n");  // here actuators go to where they do no harm
        board::print_fault(fault);
    }

  private:
    std::uint32_t lowest_version_{0U};
};

// Stands in for a sensor: gives out the pictures of the binary's self-test vectors, in turn.
class Camera {
  public:
    explicit Camera(ByteSpan vectors) noexcept : vectors_{vectors} {}

    [[nodiscard]] ByteSpan picture(std::uint32_t number) const noexcept {
        return vectors_.subspan(start(number), manifest::kInputBytes[0]);
    }
    // What the capture computed for it.
    [[nodiscard]] ByteSpan expected_scores(std::uint32_t number) const noexcept {
        return vectors_.subspan(start(number) + manifest::kInputBytes[0], manifest::kOutputBytes[0]);
    }

  private:
    static constexpr std::size_t kVectorBytes = std::size_t{manifest::kInputBytes[0]} + manifest::kOutputBytes[0];

    [[nodiscard]] std::size_t start(std::uint32_t number) const noexcept {
        return (number % (vectors_.size() / kVectorBytes)) * kVectorBytes;
    }

    ByteSpan vectors_;
};

[[nodiscard]] protection::Window window(MutableByteSpan memory, std::uint32_t offset,
                                        std::uint32_t size_bytes) noexcept {
    const MutableByteSpan part = memory.subspan(offset, size_bytes);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-034
    return {reinterpret_cast<std::uintptr_t>(part.data()), static_cast<std::uint32_t>(part.size()),
            protection::Access::kReadWriteShared};
}

// From here on this core reaches what the application is made of, and the memory of its own slot as the manifest says;
// everything else traps. The windows are powers of two, as some protection units want them.
[[nodiscard]] Status protect_slot() noexcept {
    const std::array<protection::Window, 3U> slot{
        window(board::device_dram(), manifest::kDramWindowPow2Offset, manifest::kDramWindowPow2Bytes),
        window(board::device_dram(), manifest::kTraceWindowPow2Offset, manifest::kTraceWindowPow2Bytes),
        window(board::device_l1(), manifest::kL1WindowPow2Offset, manifest::kL1WindowPow2Bytes)};
    const pianola::Span<const protection::Window> fixed = board::fixed_windows();
    constexpr std::size_t kMaxWindows = 8U;
    std::array<protection::Window, kMaxWindows> windows{};
    if ((fixed.size() + slot.size()) > windows.size()) {
        return Status::kCapacity;
    }
    std::copy(fixed.begin(), fixed.end(), windows.begin());
    std::copy(slot.begin(), slot.end(), &windows[fixed.size()]);
    return protection::protect(pianola::Span<const protection::Window>{windows.data(), fixed.size() + slot.size()});
}

// One call of the cyclic task. Never blocks: compares a slice of traces and weights, collects the result of the last
// call's step, if it is there, and starts the next.
class Task {
  public:
    Task(pianola::Session& session, const Camera& camera) noexcept : session_{session}, camera_{camera} {}

    [[nodiscard]] Status cycle() noexcept {
        const Status scrubbed = session_.scrub();
        if (!is_ok(scrubbed)) {
            return scrubbed;
        }
        if (under_way_) {
            const Status status = session_.poll();
            if (!is_ok(status)) {
                return status;  // kPending: not yet; everything else: a fault has latched
            }
            under_way_ = false;
            const Status used = use_result();
            if (!is_ok(used)) {
                return used;
            }
            done_ += 1U;
        }
        return start_next();
    }

    [[nodiscard]] std::uint32_t done() const noexcept { return done_; }
    [[nodiscard]] bool all_right() const noexcept { return all_right_; }

  private:
    // The picture goes straight into the device's memory.
    Status start_next() noexcept {
        MutableByteSpan input;
        const Status status = session_.input_view(0U, input);
        if (!is_ok(status)) {
            return status;
        }
        const ByteSpan picture = camera_.picture(done_);
        std::copy(picture.begin(), picture.end(), input.begin());
        const Status submitted = session_.submit();
        under_way_ = is_ok(submitted);
        return submitted;
    }

    Status use_result() noexcept {
        ByteSpan scores;
        const Status status = session_.output_view(0U, scores);
        if (!is_ok(status)) {
            return status;
        }
        const ByteSpan expected = camera_.expected_scores(done_);
        all_right_ = all_right_ && std::equal(scores.begin(), scores.end(), expected.begin(), expected.end());
        const auto best = std::max_element(scores.begin(), scores.end(), [](std::uint8_t left, std::uint8_t right) {
            return static_cast<std::int8_t>(left) < static_cast<std::int8_t>(right);
        });
        semihosting::print("picture ");
        semihosting::print_number(done_);
        semihosting::print(": class ");
        semihosting::print_number(static_cast<std::uint64_t>(best - scores.begin()));
        semihosting::print("\n");
        return Status::kOk;
    }

    pianola::Session& session_;
    const Camera& camera_;
    std::uint32_t done_{0U};
    bool under_way_{false};
    bool all_right_{true};
};

ExitCode not_loaded(const pianola::Verdict& verdict) noexcept {
    semihosting::print("not loaded: ");
    semihosting::print(pianola::rule_id(verdict.rule));
    semihosting::print("\n");
    return kNotLoaded;
}

ExitCode run_application() noexcept {
    // All memory is here; in zeroed memory rather than on the stack, so that a linker counts it.
    static board::BoardLink link{manifest::kDeviceSpec, board::shared_state()};
    static board::BoardDevice device{manifest::kDeviceSpec, board::shared_state(), link};
    static EcuPlatform platform;
    static const pianola::refdev::RefdevCommandSet kCommandSet;
    static pianola::Session session{device, platform, kCommandSet, kConfig};
    static pianola::PlanWorkspace workspace;  // free again after load(): may lie over memory of other use
    static pianola::Verdict verdict;

    if (!is_ok(protect_slot())) {
        return kNotProtected;
    }
    board::start_device_cores();
    const ByteSpan binary{&road_signs[0], sizeof(road_signs)};
    if (!is_ok(session.load(binary, workspace, verdict))) {
        return not_loaded(verdict);
    }
    static std::array<std::uint8_t, manifest::kOutputBytes[0]> scores;
    if (!is_ok(session.self_test(MutableByteSpan{scores.data(), scores.size()})) || !is_ok(session.confirm_start())) {
        return kNotConfirmed;
    }
    const Camera camera{session.self_tests()};
    Task task{session, camera};
    while (task.done() < kInferences) {  // an ECU's task goes on for ever; one turn per tick
        const Status status = task.cycle();
        if (!is_ok(status) && (status != Status::kPending)) {
            return kFault;
        }
        if (!session.is_verifying()) {  // the device has done its part: nothing would wake this core
            platform.idle();
        }
    }
    return task.all_right() ? kDone : kWrongResult;
}

}  // namespace

// Nothing on this board may ever get here; where it does, the core stops.
extern "C" bool pianola_on_violation(std::uintptr_t /*address*/, std::uintptr_t /*instruction*/) noexcept {
    return false;
}

int main() {
    semihosting::exit(run_application());
}
