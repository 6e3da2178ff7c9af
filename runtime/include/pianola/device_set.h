// DeviceSet: the devices that one session drives.
//
// Place in the whole: what an application with several devices hands to a Session. They are of one kind, and share no
// memory but the host's. A binary is for a mesh of rows times columns devices, and is loaded on a set of that shape
// only.
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
