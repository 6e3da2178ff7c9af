// Step 5 of docs/guide/porting.md: the NPU for Pianola's tools, as a plugin:
// `pianola verify x.ptb --plugin libnpu_target.so`.
#include "hal/host/plugin.h"
#include "npu.h"

namespace npu {
namespace {

class Simulator final : public pianola::Simulator {
  public:
    [[nodiscard]] pianola::Device& device() noexcept override { return device_; }
    [[nodiscard]] pianola::Platform& platform() noexcept override { return platform_; }

  private:
    Device device_;
    Platform platform_;
};

class Target final : public pianola::Target {
  public:
    [[nodiscard]] pianola::DeviceDescription usual_device() const override {
        pianola::DeviceDescription device;
        static_cast<void>(Device{}.describe(device));
        return device;
    }
    // There is one size of it.
    [[nodiscard]] std::string what_is_wrong_with(const pianola::DeviceDescription& device) const override {
        const bool is_ours = (device.dram_base == kDramBase) && (device.dram_bytes == kDramBytes) &&
                             (device.trace_region_bytes == kTraceRegionBytes) && (device.queue_count == kQueues);
        return is_ours ? ""
                       : "an example NPU has 64 KiB of DRAM at 0x80000000, 16 KiB of them for traces, and 2 queues";
    }
    [[nodiscard]] const pianola::CommandSet& command_set() const noexcept override { return command_set_; }
    [[nodiscard]] const char* kernel_name(std::uint32_t /*kernel_id*/) const noexcept override { return nullptr; }

    // From here on: what a port may leave out.
    [[nodiscard]] pianola::Offers offers() const noexcept override {
        pianola::Offers offers;
        offers.simulator = true;
        return offers;
    }
    [[nodiscard]] std::unique_ptr<pianola::Simulator> simulate(
        const pianola::DeviceDescription& /*device*/, const pianola::SimulatorOptions& /*options*/) const override {
        return std::make_unique<Simulator>();
    }
    [[nodiscard]] std::vector<std::uint32_t> sample(pianola::Sample which,
                                                    const pianola::SampleOperands& with) const override {
        switch (which) {
            case pianola::Sample::kCopy:
                return {kCopy, with.destination, with.source, with.size_bytes};
            case pianola::Sample::kFill:
                return {kFill, with.destination, with.size_bytes, with.value};
            case pianola::Sample::kEnd:
                return {kEnd};
            case pianola::Sample::kUnknownCommand:
                return {0U};
            default:
                return {};
        }
    }

  private:
    CommandSet command_set_;
};

const pianola::Target& target() {
    static const Target kTarget;
    return kTarget;
}

}  // namespace
}  // namespace npu

extern "C" [[gnu::visibility("default")]] const pianola::TargetPlugin kPianolaTargetPlugin{
    pianola::kPluginAbiVersion, pianola::kPluginAbiBytes, npu::target};
