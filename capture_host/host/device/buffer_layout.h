// BufferPlacement: checks a buffer's configuration and lays its pieces out.
#pragma once

#include <memory>

#include "pianola_host/buffer.h"

namespace pianola::host {

struct BufferPlacement {
    std::uint64_t bytes{0U};  // to allocate; L1: on every core
    std::uint32_t alignment{0U};

    // Throws API-BUFFER-CONFIG.
    [[nodiscard]] static BufferPlacement plan(const DeviceDescription& spec, const BufferConfig& config);
    // A buffer that lies at `offset` of its memory.
    [[nodiscard]] static BufferPtr make(const DeviceDescription& spec, const BufferConfig& config,
                                        const BufferPlacement& placement, std::uint32_t offset, BufferId id,
                                        const std::shared_ptr<Device>& device,
                                        const std::shared_ptr<MemoryHolder>& holder);
};

}  // namespace pianola::host
