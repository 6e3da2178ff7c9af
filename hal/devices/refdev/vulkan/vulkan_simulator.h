// What the host's tools know of the Vulkan device: which there are, and one to work with.
//
// Place in the whole: the reference device's Target opens one where SimulatorOptions asks for it. In a build without
// Vulkan all of this is there, and says so (no_vulkan.cpp). Host only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hal/devices/refdev/device_spec.h"
#include "hal/host/simulator.h"

namespace pianola::vulkan {

[[nodiscard]] ExecutorList list_devices();

// Throws ExecutorRefused.
[[nodiscard]] std::unique_ptr<Simulator> make_simulator(const refdev::DeviceSpec& spec,
                                                        const SimulatorOptions& options);

// Of a device, but for its traces; and of a trace with these words. All 0 in a build without Vulkan.
[[nodiscard]] ExecutorObjects device_objects();
[[nodiscard]] ExecutorObjects trace_objects(WordSpan words, std::uint32_t queues);

}  // namespace pianola::vulkan
