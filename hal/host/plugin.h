// Plugin: a target in a shared object.
//
// Connects a port to the host's tools without building them together: `pianola verify model.ptb --plugin libmynpu.so`.
// The shared object has one visible symbol of C linkage:
//
//     extern "C" [[gnu::visibility("default")]] const pianola::TargetPlugin kPianolaTargetPlugin{
//         pianola::kPluginAbiVersion, pianola::kPluginAbiBytes, my_target};
//
// C++ classes cross the boundary: the plugin must be built with these headers, and with a compiler and a standard
// library compatible with those of the tools. Version and size detect some mismatches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hal/host/target.h"
#include "pianola/fault.h"

namespace pianola {

// Incremented with every change of Target, Executor, Simulator, Device, Platform or CommandSet.
inline constexpr std::uint32_t kPluginAbiVersion = 5U;
// Size of everything that crosses the boundary: other capacities, or another standard library, change it.
inline constexpr std::uint32_t kPluginAbiBytes = static_cast<std::uint32_t>(
    sizeof(DeviceDescription) + sizeof(RegionConfig) + sizeof(QueueCommand) + sizeof(Completion) +
    sizeof(DecodedCommand) + sizeof(KernelIdentity) + sizeof(DecodeState) + sizeof(DecodeError) + sizeof(FaultRecord) +
    sizeof(Capacities) + sizeof(Offers) + sizeof(SimulatorOptions) + sizeof(LoggedCommand) + sizeof(SampleOperands) +
    sizeof(RamPart) + sizeof(QueueLog) + sizeof(ExecutorDevices::Device) + sizeof(ObjectCount) + kSourceSlots +
    kDestinationSlots + kMaxQueues);

struct TargetPlugin {
    std::uint32_t abi_version{0U};  // these two are checked first
    std::uint32_t abi_bytes{0U};
    const Target& (*target)() = nullptr;  // static lifetime
};

inline constexpr const char* kPluginSymbol = "kPianolaTargetPlugin";

}  // namespace pianola
