// The host tools' access to Vulkan devices: the list of them, and opening one.
//
// The reference device's Target opens one if SimulatorOptions requests it. A build without Vulkan has these functions
// too, and refuses (no_vulkan.cpp).
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

// Objects of a device without its traces, and of a trace with these words. All 0 in a build without Vulkan.
[[nodiscard]] ExecutorObjects device_objects();
[[nodiscard]] ExecutorObjects trace_objects(WordSpan words, std::uint32_t queues);

}  // namespace pianola::vulkan
