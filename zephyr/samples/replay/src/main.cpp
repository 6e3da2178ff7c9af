// Replays a trace binary under Zephyr, once for each of its self-test vectors, on the application's own core. What the
// device is comes from the binary's memory manifest, where its memories lie from the devicetree; both must agree.
// docs/guide/zephyr.md explains it. The binary is not signed here: docs/guide/signing.md.

#include <zephyr/devicetree.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/printk.h>

#include <array>
#include <cstdint>
#include <cstring>

#include "hal/devices/refdev/refdev_command_set.h"
#include "hal/devices/refdev/refdev_driver.h"
#include "model.h"           // made by `pianola embed`
#include "model_manifest.h"  // made by `pianola size --header`
#include "pianola/development_config.h"
#include "pianola/session.h"
#include "zephyr/include/pianola_zephyr/own_core_link.h"
#include "zephyr/include/pianola_zephyr/platform.h"

namespace {

namespace manifest = pianola::manifest::model;
using pianola::ByteSpan;
using pianola::MutableByteSpan;
using pianola::Status;

constexpr pianola::refdev::DeviceSpec kSpec = manifest::kDeviceSpec;
static_assert(DT_REG_SIZE(DT_NODELABEL(pianola_dram)) == kSpec.dram_bytes, "devicetree: size of the device's DRAM");
static_assert(DT_REG_SIZE(DT_NODELABEL(pianola_l1)) == kSpec.l1_bytes, "devicetree: size of the device's L1");
static_assert(DT_REG_SIZE(DT_NODELABEL(pianola_trace)) == kSpec.trace_region_bytes, "devicetree: trace region");
static_assert(DT_PROP(DT_NODELABEL(pianola_core), queues) == kSpec.queue_count, "devicetree: queues");
static_assert(DT_PROP(DT_NODELABEL(pianola_core), clock_khz) == kSpec.clock_khz, "devicetree: clock");
static_assert((manifest::kInputBytes.size() == 1U) && (manifest::kOutputBytes.size() == 1U),
              "this sample is for one input and one output");

class Device final : public pianola::refdev::RefdevDriver {
  public:
    using RefdevDriver::RefdevDriver;
};

class Platform final : public pianola::zephyr::ZephyrPlatform {
  public:
    void serve_watchdog() noexcept override {}
    Status lowest_security_version(std::uint32_t& version) noexcept override {
        version = 0U;
        return Status::kOk;
    }
    Status raise_security_version(std::uint32_t /*version*/) noexcept override { return Status::kOk; }
    void enter_safe_state(const pianola::FaultRecord& /*fault*/) noexcept override { printk("safe state\n"); }
};

MutableByteSpan memory(std::uintptr_t address, std::uint32_t size_bytes) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast, performance-no-int-to-ptr): DEV-030
    return {reinterpret_cast<std::uint8_t*>(address), size_bytes};
}

int replay(pianola::Session& session) noexcept {
    static std::array<std::uint8_t, manifest::kOutputBytes[0]> result;
    const ByteSpan vectors = session.self_tests();
    constexpr std::size_t kVectorBytes = std::size_t{manifest::kInputBytes[0]} + manifest::kOutputBytes[0];
    for (std::uint32_t step = 0U; step < session.self_test_count(); ++step) {
        const ByteSpan vector = vectors.subspan(step * kVectorBytes, kVectorBytes);
        const std::array<ByteSpan, 1U> inputs{vector.subspan(0U, manifest::kInputBytes[0])};
        const std::array<MutableByteSpan, 1U> outputs{MutableByteSpan{result.data(), result.size()}};
        if (!is_ok(session.run(pianola::Span<const ByteSpan>{inputs}, pianola::Span<const MutableByteSpan>{outputs}))) {
            printk("fault in step %u\n", step);
            return 1;
        }
        if (std::memcmp(result.data(), vector.subspan(manifest::kInputBytes[0], result.size()).data(), result.size()) !=
            0) {
            printk("step %u: another output than captured\n", step);
            return 1;
        }
    }
    printk("replayed: %u steps, every output as captured\n", session.self_test_count());
    return 0;
}

}  // namespace

int main() {
    static pianola::refdev::SharedState shared;
    static pianola::zephyr::OwnCoreLink link{kSpec, shared,
                                             memory(DT_REG_ADDR(DT_NODELABEL(pianola_dram)), kSpec.dram_bytes),
                                             memory(DT_REG_ADDR(DT_NODELABEL(pianola_l1)), kSpec.l1_bytes)};
    static Device device{kSpec, shared, link};
    static Platform platform;
    static const pianola::refdev::RefdevCommandSet kCommandSet;
    static pianola::Session session{device, platform, kCommandSet, pianola::kDevelopmentConfig};
    static pianola::PlanWorkspace workspace;
    static pianola::Verdict verdict;

    if (!is_ok(session.load(ByteSpan{&model[0], sizeof(model)}, workspace, verdict))) {
        printk("not loaded: %s at offset %u\n", pianola::rule_id(verdict.rule), verdict.file_offset);
        return 1;
    }
    return replay(session);
}
