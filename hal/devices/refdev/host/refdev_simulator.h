// The simulator of the reference device, as host tools see it.
#pragma once

#include <memory>

#include "hal/host/simulator.h"

namespace pianola::refdev {

[[nodiscard]] std::unique_ptr<Simulator> make_simulator(const DeviceDescription& device,
                                                        const SimulatorOptions& options);

}  // namespace pianola::refdev
