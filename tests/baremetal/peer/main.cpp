// compare BINARY INPUT COMMANDS OUTPUTS CONSTANTS WORKSPACE: an inference by session and device, and the model's layers
// by the kernels of another library, in one run, for the instruction counter.
//
// Sections: those of release.h, twice; those of device_count_test.cpp, cut after every command that the device has
// executed; one for each layer. COMMANDS and OUTPUTS are that test's. CONSTANTS is what the other library's driver
// reads; WORKSPACE gets its memory afterwards. Reported are the kinds of the last commands, oldest first: T for a
// launch, a copy or a fill, else a dot.
#include <algorithm>
#include <array>

#include "hal/boards/common/semihosting.h"
#include "hal/devices/refdev/execution_log.h"
#include "tests/baremetal/board_tests/bench.h"
#include "tests/baremetal/board_tests/counted.h"
#include "tests/baremetal/peer/peer.h"
#include "tests/baremetal/peer/release.h"

namespace pianola::baremetal {
namespace {

constexpr std::uint32_t kConstants = 5U;
constexpr std::uint32_t kWorkspace = 6U;
constexpr std::uint32_t kMaxKinds = 1024U;

struct Kinds {
    std::array<char, kMaxKinds> ring;
    std::uint32_t count;
};

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): DEV-033
Kinds g_kinds;

// A trace's commands other than those that only end or order others.
[[nodiscard]] bool moves_bytes(const refdev::ExecutedCommand& executed) noexcept {
    return (executed.opcode == refdev::Opcode::kLaunch) || (executed.opcode == refdev::Opcode::kDispatch) ||
           (executed.opcode == refdev::Opcode::kCopy) || (executed.opcode == refdev::Opcode::kFill);
}

void report_kinds() noexcept {
    std::array<char, kMaxKinds + 1U> text{};
    const std::uint32_t kept = std::min(g_kinds.count, kMaxKinds);
    for (std::uint32_t i = 0U; i < kept; ++i) {
        text[i] = g_kinds.ring[((g_kinds.count - kept) + i) % kMaxKinds];
    }
    report_text("executed", text.data());
}

[[nodiscard]] std::int32_t run_peer(const Arguments& arguments) noexcept {
    LoadArea area;
    const MutableByteSpan constants = area.load(arguments.at(kConstants));
    const MutableByteSpan workspace = area.allocate(kPeerWorkspaceBytes);
    if (constants.empty() || workspace.empty()) {
        return kNotLoaded;
    }
    const std::uint32_t missing = pianola_peer_prepare(constants.data(), workspace.data());
    if (missing != 0U) {
        report("peer_bytes_missing", missing);
        return kFailed;
    }
    for (std::uint32_t layer = 0U; layer < kPeerLayers; ++layer) {
        pianola_count_begin();
        const std::int32_t error = pianola_peer_run(layer);
        pianola_count_end();
        if (error != 0) {
            report("peer_layer_failed", layer);
            return kFailed;
        }
    }
    return semihosting::store_file(arguments.at(kWorkspace), workspace) ? kPassed : kFailed;
}

std::int32_t compare(const Arguments& arguments) noexcept {
    if (arguments.count() != (kWorkspace + 1U)) {
        return kWrongUsage;
    }
    std::int32_t counted = count_release(arguments, Release::kVerified);
    counted = (counted == kPassed) ? count_release(arguments, Release::kWithinInterval) : counted;
    counted = (counted == kPassed) ? test_device_count(arguments) : counted;
    if (counted != kPassed) {
        return counted;
    }
    report_kinds();
    return run_peer(arguments);
}

constexpr std::array<Test, 1U> kTests{{{"compare", compare}}};

}  // namespace
}  // namespace pianola::baremetal

// Calls of ExecutionLog::append() come to the first name, the second is the function itself. The counter skips the
// first.
extern "C" {
// NOLINTBEGIN(clang-diagnostic-reserved-identifier, readability-identifier-naming): DEV-032
void __wrap__ZN7pianola6refdev12ExecutionLog6appendERKNS0_15ExecutedCommandE(
    pianola::refdev::ExecutionLog* log, const pianola::refdev::ExecutedCommand& executed) noexcept;
void __real__ZN7pianola6refdev12ExecutionLog6appendERKNS0_15ExecutedCommandE(
    pianola::refdev::ExecutionLog* log, const pianola::refdev::ExecutedCommand& executed) noexcept;

void __wrap__ZN7pianola6refdev12ExecutionLog6appendERKNS0_15ExecutedCommandE(
    pianola::refdev::ExecutionLog* log, const pianola::refdev::ExecutedCommand& executed) noexcept {
    __real__ZN7pianola6refdev12ExecutionLog6appendERKNS0_15ExecutedCommandE(log, executed);
    using pianola::baremetal::g_kinds;
    g_kinds.ring[g_kinds.count % pianola::baremetal::kMaxKinds] = pianola::baremetal::moves_bytes(executed) ? 'T' : '.';
    g_kinds.count += 1U;
    pianola_count_cut();
}
// NOLINTEND(clang-diagnostic-reserved-identifier, readability-identifier-naming): DEV-032
}

int main() {
    pianola::baremetal::run_application(pianola::baremetal::kTests);
}
