#include "hal/devices/pl330/host/pl330_target.h"

#include <string>

#include "hal/devices/pl330/command_set.h"
#include "hal/devices/pl330/encoding.h"
#include "hal/devices/pl330/host/words.h"
#include "hal/host/device_numbers.h"

namespace pianola::pl330 {
namespace {

// The engine of a Zynq-7000 with 4 MiB of its DDR, and half of its on-chip memory as the second memory.
constexpr EngineSpec kZynq7000{0x0100'0000U, 4U * 1024U * 1024U, 0xFFFC'0000U,
                               128U * 1024U, 64U * 1024U,        &profiles::kSmallEcu};

class Pl330Target final : public Target {
  public:
    [[nodiscard]] DeviceDescription usual_device() const override {
        DeviceDescription device;
        describe(kZynq7000, device);
        return device;
    }
    [[nodiscard]] std::string what_is_wrong_with(const DeviceDescription& device) const override {
        const DeviceDescription usual = usual_device();
        if ((device.queue_count != usual.queue_count) || (device.grid_columns != usual.grid_columns) ||
            (device.grid_rows != usual.grid_rows) || (device.dram_banks != usual.dram_banks) ||
            (device.clock_khz != usual.clock_khz)) {
            return "a PL330 has queue_count " + std::to_string(usual.queue_count) +
                   ", grid_columns, grid_rows and dram_banks 1, and counts microseconds: clock_khz " +
                   std::to_string(usual.clock_khz);
        }
        if (device.file_bytes != 0U) {
            return "a PL330 has no file window: file_bytes must be 0";
        }
        return what_is_wrong_with_memories(device);
    }
    [[nodiscard]] const CommandSet& command_set() const noexcept override { return command_set_; }
    [[nodiscard]] const char* kernel_name(std::uint32_t /*kernel_id*/) const noexcept override { return nullptr; }

    [[nodiscard]] std::vector<std::uint32_t> sample(Sample which, const SampleOperands& with) const override {
        constexpr std::uint32_t kRegisterBits = 0xF800'0000U;  // of DMAMOV's operand byte: not set by any instruction
        Words words;
        switch (which) {
            case Sample::kCopy:
                append_copy(words, with.source, with.destination, with.size_bytes);
                break;
            case Sample::kFill:
                if (with.value == 0U) {  // other values come from a constant in memory
                    append_zeros(words, with.destination, with.size_bytes);
                }
                break;
            case Sample::kBarrier:
                words = {kBarrier};
                break;
            case Sample::kEnd:
                words = {kEnd};
                break;
            case Sample::kUnknownCommand:
                words = {UINT32_MAX};
                break;
            case Sample::kQueueCommand:
                words = {send_event_program(0U)};
                break;
            case Sample::kReservedBits:
                words = {with.value | kRegisterBits};
                break;
            case Sample::kCopyLaunch:
            case Sample::kCopyDispatch:
            case Sample::kLongLaunch:
            case Sample::kUnknownKernel:
            case Sample::kNoLength:
            case Sample::kWrongCost:
            default:
                break;  // no kernels, no lengths, no costs
        }
        return words;
    }

    [[nodiscard]] std::vector<RamPart> ram(const Capacities& capacities) const override {
        return {{"driver", "device driver", "with the engine's own programs", "::pianola::pl330::Pl330Driver",
                 "hal/devices/pl330/driver.h", driver_bytes32(capacities), false}};
    }
    [[nodiscard]] std::string device_constant(const DeviceDescription& device) const override {
        std::string sizes;
        for (const std::uint32_t size :
             {device.dram_base, device.dram_bytes, device.l1_base, device.l1_bytes, device.trace_region_bytes}) {
            sizes += (sizes.empty() ? "" : ", ") + std::to_string(size) + "U";
        }
        return "inline constexpr ::pianola::pl330::EngineSpec kDeviceSpec{\n    " + sizes +
               "};\nstatic_assert(::pianola::pl330::kRingCommands == " + std::to_string(kRingCommands) + "U);\n";
    }

  private:
    Pl330CommandSet command_set_;
};

}  // namespace

const Target& target() {
    static const Pl330Target kTarget;
    return kTarget;
}

EngineSpec spec_of(const DeviceDescription& device) {
    return {device.dram_base, device.dram_bytes,         device.l1_base,
            device.l1_bytes,  device.trace_region_bytes, device.capacities};
}

}  // namespace pianola::pl330
