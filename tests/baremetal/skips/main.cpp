// An ECU application that loads one binary, pays no attention to what load() says, and tries everything to get it
// going: what an attacker who can make the core skip instructions would like to meet. The host skips them, see
// tests/baremetal/campaigns/skips_test.py.
//
// There is no semihosting: the order lies in memory, the evidence is read from memory, and marker functions say where
// the run begins and ends.
#include <array>
#include <cstdint>

#include "hal/arch/mmio.h"
#include "hal/arch/protection.h"
#include "hal/boards/common/board.h"
#include "hal/boards/common/board_link.h"
#include "hal/boards/common/board_platform.h"
#include "hal/boards/common/shared_memory.h"
#include "hal/crypto/bearssl_verifier.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "pianola/session.h"
#include "tests/baremetal/skips/ends.h"
#include "tests/baremetal/skips/order.h"
#include "tests/baremetal/skips/stand_in_verifier.h"
#include "tests/baremetal/skips/watched_device.h"
#include "tests/baremetal/skips/weak_loader.h"

namespace pianola::baremetal {
namespace {

class Platform final : public board::BoardPlatform {
  public:
    explicit Platform(std::uint32_t lowest_version) noexcept : lowest_version_{lowest_version} {}

    void serve_watchdog() noexcept override {}
    Status lowest_security_version(std::uint32_t& version) noexcept override {
        version = lowest_version_;
        return Status::kOk;
    }
    Status raise_security_version(std::uint32_t /*version*/) noexcept override { return Status::kOk; }
    void enter_safe_state(const FaultRecord& /*fault*/) noexcept override {}

  private:
    std::uint32_t lowest_version_;
};

}  // namespace
}  // namespace pianola::baremetal

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): DEV-033
pianola::baremetal::Order pianola_skip_order{};

namespace pianola::baremetal {
namespace {

// The watchdog of these boards: CMSDK APB watchdog (Arm DDI 0479, section 4.5). Once it has run down it raises an NMI,
// which no fault can mask.
void start_watchdog(std::uint32_t ticks) noexcept {
    constexpr std::uintptr_t kBase = 0x4000'8000U;
    constexpr std::uintptr_t kLoad = kBase;
    constexpr std::uintptr_t kControl = kBase + 0x8U;
    constexpr std::uintptr_t kLock = kBase + 0xC00U;
    constexpr std::uint32_t kUnlock = 0x1ACC'E551U;
    constexpr std::uint32_t kInterruptEnable = 1U;
    mmio::write(kLock, kUnlock);
    mmio::write(kLoad, ticks);
    mmio::write(kControl, kInterruptEnable);
    mmio::write(kLock, 0U);
}

[[nodiscard]] protection::Window window(MutableByteSpan memory) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-034
    return {reinterpret_cast<std::uintptr_t>(memory.data()), static_cast<std::uint32_t>(memory.size()),
            protection::Access::kReadWrite};
}

// As every application does before it loads anything (docs/examples/board). A core that a skip has led astray is
// stopped here as well.
[[nodiscard]] Status protect_memory() noexcept {
    constexpr std::size_t kFixed = 2U;
    const Span<const protection::Window> fixed = board::fixed_windows();
    if (fixed.size() != kFixed) {
        return Status::kCapacity;
    }
    const std::array<protection::Window, kFixed + 3U> windows{fixed[0], fixed[1], window(board::device_dram()),
                                                              window(board::device_l1()), window(board::load_area())};
    return protection::protect(windows);
}

struct Application {
    explicit Application(const Order& order) noexcept
        : trust{SignaturePolicy::kRequired, order.keys,
                (order.verifier == Verifier::kBearSsl) ? static_cast<const SignatureVerifier*>(&bearssl) : &stand_in,
                0U},
          config{trust, Release::kVerified},
          link{refdev::DeviceSpec{}, board::shared_state()},
          platform{order.lowest_version},
          device{refdev::DeviceSpec{}, board::shared_state(), link, pianola_skip_evidence},
          session{device, platform, command_set, config},
          weak_trust{trust},
          weak{device, command_set, weak_trust, {}, {}} {
        weak_trust.lowest_security_version = order.lowest_version;
    }

    StandInVerifier stand_in;
    BearSslVerifier bearssl;
    Trust trust;
    SessionConfig config;
    board::BoardLink link;
    Platform platform;
    WatchedDevice device;
    refdev::RefdevCommandSet command_set;
    Session session;
    Trust weak_trust;
    WeakLoader weak;
    PlanWorkspace workspace;
    Verdict verdict;
};

Application& application() noexcept {
    static Application the_application{pianola_skip_order};
    return the_application;
}

constexpr std::uint32_t kRoomBytes = 128U;  // for any one tensor of the small binaries that this image is given
struct Tensors {
    std::array<std::array<std::uint8_t, kRoomBytes>, kMaxInputs> inputs{};
    std::array<std::array<std::uint8_t, kRoomBytes>, kMaxOutputs> outputs{};
    std::array<ByteSpan, kMaxInputs> input_spans{};
    std::array<MutableByteSpan, kMaxOutputs> output_spans{};
};
Tensors& tensors() noexcept {
    static Tensors the_tensors;
    return the_tensors;
}

// Whatever the session believes its binary to take and give.
[[nodiscard]] Span<const ByteSpan> inputs_of(const Plan& plan) noexcept {
    const std::uint32_t count = (plan.input_count < kMaxInputs) ? plan.input_count : kMaxInputs;
    for (std::uint32_t i = 0U; i < count; ++i) {
        tensors().input_spans[i] = ByteSpan{tensors().inputs[i].data(), plan.inputs[i].bytes};
    }
    return {tensors().input_spans.data(), count};
}
[[nodiscard]] Span<const MutableByteSpan> outputs_of(const Plan& plan) noexcept {
    const std::uint32_t count = (plan.output_count < kMaxOutputs) ? plan.output_count : kMaxOutputs;
    for (std::uint32_t i = 0U; i < count; ++i) {
        tensors().output_spans[i] = MutableByteSpan{tensors().outputs[i].data(), plan.outputs[i].bytes};
    }
    return {tensors().output_spans.data(), count};
}

void note(std::uint32_t& place, Status status) noexcept {
    place = static_cast<std::uint32_t>(status);
}

void try_everything(Session& session) noexcept {
    auto& calls = pianola_skip_evidence.calls;
    MutableByteSpan input_view;
    ByteSpan output_view;
    note(calls[0], session.input_view(0U, input_view));
    note(calls[1], session.submit());
    note(calls[2], session.poll());
    note(calls[3], session.start({}));
    note(calls[4], session.poll());
    note(calls[5], session.submit(inputs_of(session.plan()), outputs_of(session.plan())));
    note(calls[6], session.poll());
    note(calls[7], session.run(inputs_of(session.plan()), outputs_of(session.plan())));
    note(calls[8], session.output_view(0U, output_view));
    note(calls[9], session.confirm_start());
    pianola_skip_evidence.output_bytes = static_cast<std::uint32_t>(output_view.size());
}

}  // namespace
}  // namespace pianola::baremetal

extern "C" void pianola_skip_attempt() noexcept {
    using pianola::baremetal::Loader;
    pianola::baremetal::Evidence& evidence = pianola_skip_evidence;
    const pianola::baremetal::Order& order = pianola_skip_order;
    pianola::baremetal::Application& all = pianola::baremetal::application();
    const pianola::ByteSpan file{&pianola_skip_file, order.file_bytes};
    const pianola::Status loaded = (order.loader == Loader::kSession)
                                       ? all.session.load(file, all.workspace, all.verdict)
                                       : all.weak.load(file, all.workspace, all.verdict);
    evidence.load = static_cast<std::uint32_t>(loaded);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-034
    evidence.rule = reinterpret_cast<std::uintptr_t>(pianola::rule_id(all.verdict.rule));
    evidence.file_offset = all.verdict.file_offset;
    evidence.fault_status = static_cast<std::uint32_t>(all.session.fault().status);
    evidence.fault_stage = static_cast<std::uint32_t>(all.session.fault().stage);
    pianola::baremetal::try_everything(all.session);
}

int main() {
    pianola_skip_order = pianola_skip_host_order;
    pianola_skip_evidence = pianola::baremetal::Evidence{};
    static_cast<void>(pianola::baremetal::application());
    pianola::baremetal::start_watchdog(pianola_skip_order.watchdog_ticks);
    const pianola::Status is_protected = pianola::baremetal::protect_memory();
    while (!pianola::is_ok(is_protected)) {
        // What would run without protection is not what is to be tried.
    }
    pianola_skip_begin();
    pianola_skip_attempt();
    pianola_skip_end();
    for (;;) {
    }
}
