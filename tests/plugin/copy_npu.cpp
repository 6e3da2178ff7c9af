// CopyNpu as a target, and the target as a plugin: what a port writes for the host's tools. PLUGIN_ABI, which
// the build sets, is added to the version that the plugin says it was built for; STRAYS is how many commands its
// simulator sees outside of their extents, and 0 that it does not look. An executor, `rig`, has two devices: one always
// sees such a command, which shows that it has replayed; the other cannot be opened.
#include "tests/plugin/copy_npu.h"

#include "hal/host/plugin.h"

namespace pianola::copy_npu {
namespace {

constexpr std::uint64_t kStrays = STRAYS;

class CopyNpuSimulator final : public Simulator {
  public:
    CopyNpuSimulator(const DeviceDescription& device, std::uint64_t strays) : device_{device}, strays_{strays} {}
    [[nodiscard]] Device& device() noexcept override { return device_; }
    [[nodiscard]] Platform& platform() noexcept override { return platform_; }
    [[nodiscard]] std::uint64_t access_violations() const noexcept override { return strays_; }

  private:
    Npu device_;
    Ecu platform_;
    std::uint64_t strays_;
};

class Rig final : public Executor {
  public:
    [[nodiscard]] const char* name() const noexcept override { return "rig"; }
    [[nodiscard]] const char* title() const noexcept override { return "Rig"; }
    [[nodiscard]] bool is_built() const noexcept override { return true; }
    [[nodiscard]] Offers offers() const noexcept override {
        Offers offers;
        offers.simulator = true;
        offers.access_checks = true;
        return offers;
    }
    [[nodiscard]] ExecutorDevices devices() const override {
        return {{{"the first rig", "2.1", ""}, {"the second rig", "2.0", "no power"}}, ""};
    }
    [[nodiscard]] std::vector<ObjectCount> objects(const DeviceDescription& /*device*/,
                                                   WordSpan /*words*/) const override {
        return {};
    }
    [[nodiscard]] std::unique_ptr<Simulator> simulate(const DeviceDescription& device,
                                                      const SimulatorOptions& options) const override {
        if (options.executor.number != 0U) {
            throw ExecutorRefused{"rig:" + std::to_string(options.executor.number) + " has no power"};
        }
        return std::make_unique<CopyNpuSimulator>(device, options.check_accesses ? 1U : 0U);
    }
};

class CopyNpuTarget final : public Target {
  public:
    [[nodiscard]] DeviceDescription usual_device() const override { return copy_npu::usual_device(); }
    [[nodiscard]] std::string what_is_wrong_with(const DeviceDescription& device) const override {
        const DeviceDescription usual = usual_device();
        const bool fits = (device.dram_base == usual.dram_base) && (device.dram_bytes <= usual.dram_bytes) &&
                          (device.dram_bytes >= device.trace_region_bytes) && (device.queue_count == 1U) &&
                          (device.clock_khz != 0U);
        return fits ? "" : "a copy-npu has one queue, a clock, and up to 64 KiB of DRAM at 0x80000000";
    }
    [[nodiscard]] const CommandSet& command_set() const noexcept override { return commands_; }
    [[nodiscard]] const char* kernel_name(std::uint32_t /*kernel_id*/) const noexcept override { return nullptr; }
    [[nodiscard]] Offers offers() const noexcept override {
        Offers offers;
        offers.simulator = true;
        offers.access_checks = STRAYS != 0U;
        return offers;
    }
    [[nodiscard]] std::unique_ptr<Simulator> simulate(const DeviceDescription& device,
                                                      const SimulatorOptions& options) const override {
        return std::make_unique<CopyNpuSimulator>(device, options.check_accesses ? kStrays : 0U);
    }
    [[nodiscard]] Span<const Executor* const> executors() const noexcept override { return executors_; }
    [[nodiscard]] std::vector<std::uint32_t> sample(Sample which, const SampleOperands& operands) const override {
        if (which == Sample::kCopy) {
            return {kCopy, operands.destination, operands.source, operands.size_bytes};
        }
        if (which == Sample::kUnknownCommand) {
            return {0U};
        }
        return (which == Sample::kEnd) ? std::vector<std::uint32_t>{kEnd} : std::vector<std::uint32_t>{};
    }

  private:
    Commands commands_;
    Rig rig_;
    std::array<const Executor*, 1> executors_{&rig_};
};

const Target& target() {
    static const CopyNpuTarget kTarget;
    return kTarget;
}

}  // namespace
}  // namespace pianola::copy_npu

extern "C" [[gnu::visibility("default")]] const pianola::TargetPlugin kPianolaTargetPlugin{
    pianola::kPluginAbiVersion + PLUGIN_ABI, pianola::kPluginAbiBytes, pianola::copy_npu::target};
