// Plugin: a target in a shared object.
//
// Place in the whole: how a port reaches the host's tools without being built with them: `pianola verify model.ptb
// --plugin libmynpu.so`. The shared object has one symbol, of C linkage and visible:
//
//     extern "C" [[gnu::visibility("default")]] const pianola::TargetPlugin kPianolaTargetPlugin{
//         pianola::kPluginAbiVersion, pianola::kPluginAbiBytes, my_target};
//
// What crosses the boundary are C++ classes: the plugin is built with these headers, and with a compiler and a standard
// library like those of the tools. Version and size tell what they can of that. Host only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hal/host/target.h"
#include "pianola/fault.h"

namespace pianola {

// Rises with every change of Target, Simulator, Device, Platform or CommandSet.
inline constexpr std::uint32_t kPluginAbiVersion = 3U;
// Of everything that crosses the boundary: other capacities, or another standard library, make another size.
inline constexpr std::uint32_t kPluginAbiBytes = static_cast<std::uint32_t>(
    sizeof(DeviceDescription) + sizeof(RegionConfig) + sizeof(QueueCommand) + sizeof(Completion) +
    sizeof(DecodedCommand) + sizeof(DecodeState) + sizeof(DecodeError) + sizeof(FaultRecord) + sizeof(Capacities) +
    sizeof(Offers) + sizeof(SimulatorOptions) + sizeof(LoggedCommand) + sizeof(SampleOperands) + sizeof(RamPart) +
    sizeof(QueueLog) + kSourceSlots + kDestinationSlots + kMaxQueues);

struct TargetPlugin {
    std::uint32_t abi_version{0U};  // these two are looked at before anything else
    std::uint32_t abi_bytes{0U};
    const Target& (*target)() = nullptr;  // static lifetime
};

inline constexpr const char* kPluginSymbol = "kPianolaTargetPlugin";

}  // namespace pianola
