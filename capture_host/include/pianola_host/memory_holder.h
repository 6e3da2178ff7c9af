// MemoryHolder: the owner of the memory of buffers, circular buffers and semaphores.
//
// The part of Device that these objects and the compiler use.
#pragma once

#include "pianola_host/buffer.h"

namespace pianola::host {

struct LocalMemory;

class MemoryHolder {
  public:
    MemoryHolder() = default;
    virtual ~MemoryHolder() = default;
    MemoryHolder(const MemoryHolder&) = delete;
    MemoryHolder& operator=(const MemoryHolder&) = delete;

    // Throws API-BUFFER-* unless the buffer is a live one of this device.
    virtual void check_buffer(const BufferPtr& buffer) const = 0;
    // Destructors of these objects free their memory.
    virtual void release(Buffer& buffer) = 0;
    virtual void release(LocalMemory& memory) = 0;
};

}  // namespace pianola::host
