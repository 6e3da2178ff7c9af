// Program: kernels on core ranges, with their arguments, circular buffers and semaphores.
//
// Device::enqueue_program() runs it at once, or puts it into the trace that is being captured. A program has no device
// until it is enqueued; arguments that name buffers become device addresses then. Not for several threads at once.
//
// Order. On one core, kernels run in the order in which they were added. Kernels on different cores run side by side,
// unless a semaphore orders them, or they touch the same bytes and one of them writes: then the later one waits for all
// of the earlier ones (a barrier is put between them). A program ends when all its kernels have ended.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "hal/devices/refdev/kernels/kernel.h"
#include "pianola_host/buffer.h"
#include "pianola_host/geometry.h"
#include "pianola_host/ids.h"

namespace pianola::host {

// The device address of a buffer's shard. Without a shard: the one on the core that runs the kernel; for a buffer that
// is one run of DRAM, the whole. A program does not own the buffers of its arguments.
struct BufferArgument {
    std::weak_ptr<Buffer> buffer;
    std::optional<std::uint32_t> shard;
    std::uint32_t offset_bytes{0U};
};
// The address of a circular buffer on the core that runs the kernel.
struct CircularBufferArgument {
    CircularBufferHandle circular_buffer;
    std::uint32_t offset_bytes{0U};
};
// The address of a semaphore's counter on `core`; without one, on the core that runs the kernel.
struct SemaphoreArgument {
    SemaphoreHandle semaphore;
    std::optional<CoreCoord> core;
};
using Argument = std::variant<std::uint32_t, BufferArgument, CircularBufferArgument, SemaphoreArgument>;
using Arguments = std::vector<Argument>;

// A program as a part of a trace.
struct TraceProgramInfo {
    std::string name;
    std::uint32_t command_count{0U};
};

class Program {
  public:
    explicit Program(std::string name = "program");
    ~Program();
    Program(const Program&) = delete;
    Program(Program&&) noexcept;
    Program& operator=(const Program&) = delete;
    Program& operator=(Program&&) noexcept;

    [[nodiscard]] ProgramId id() const noexcept;
    [[nodiscard]] const std::string& name() const noexcept;

    // Throws API-PROGRAM-KERNEL for a kernel that the library does not have.
    KernelHandle add_kernel(refdev::KernelId kernel, const CoreRangeSet& cores);
    KernelHandle add_kernel(const std::string& kernel, const CoreRangeSet& cores);

    // The words of a launch are the core's own runtime arguments, then the common ones: together exactly what the
    // kernel takes. May be called again between two enqueues.
    void set_runtime_args(KernelHandle kernel, CoreCoord core, Arguments arguments);
    void set_runtime_args(KernelHandle kernel, const CoreRangeSet& cores, const Arguments& arguments);
    void set_common_runtime_args(KernelHandle kernel, Arguments arguments);

    // L1 at the same offset on every core of the range, from the top of L1, while the program lives; taken when the
    // program is first compiled or enqueued. Its contents are lost between programs.
    CircularBufferHandle add_circular_buffer(const CoreRangeSet& cores, std::uint32_t pages, std::uint32_t page_bytes);
    // Gives the memory back early. The program cannot be enqueued again before it has another (resize_circular_buffer).
    void deallocate_circular_buffer(CircularBufferHandle circular_buffer);
    void resize_circular_buffer(CircularBufferHandle circular_buffer, std::uint32_t pages, std::uint32_t page_bytes);

    // A 32-bit counter on every core of the range. Kernels that signal run before kernels that wait; a wait for a
    // semaphore that no kernel signals needs an initial value above 0.
    SemaphoreHandle add_semaphore(const CoreRangeSet& cores, std::uint32_t initial = 0U);
    void signal(KernelHandle kernel, SemaphoreHandle semaphore);
    void wait(KernelHandle kernel, SemaphoreHandle semaphore);

    // A copy for another device: with its own circular buffers and semaphores, and every buffer replaced by `replace`.
    [[nodiscard]] Program copy(const std::function<BufferPtr(const BufferPtr&)>& replace) const;

    struct State;
    [[nodiscard]] State& state() noexcept { return *state_; }  // for the library itself
    [[nodiscard]] const State& state() const noexcept { return *state_; }

  private:
    std::unique_ptr<State> state_;
};

}  // namespace pianola::host
