// MemoryHolder: what buffers, circular buffers and semaphores have their memory from.
//
// A Device, as far as its objects and the compiler know it.
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
    // Objects that go give their memory back.
    virtual void release(Buffer& buffer) = 0;
    virtual void release(LocalMemory& memory) = 0;
};

}  // namespace pianola::host
