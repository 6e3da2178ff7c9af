// DeviceSet: the devices that one session drives.
//
// An application with several devices passes it to a Session. The devices are of one kind and share only host memory. A
// binary is for a mesh of rows times columns devices, and is loaded only on a set of that shape.
#pragma once

#include <cstdint>

#include "pianola/device.h"
#include "pianola/span.h"

namespace pianola {

struct DeviceSet {
    Span<Device* const> devices;  // in row-major order; all of them outlive the session
    std::uint32_t rows{1U};
    std::uint32_t columns{1U};
};

}  // namespace pianola
