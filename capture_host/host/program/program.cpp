#include "pianola_host/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "capture_host/host/program/program_state.h"
#include "pianola_host/host_error.h"
#include "pianola_host/memory_holder.h"

namespace pianola::host {
namespace {

std::uint64_t next_program_id() {
    static std::atomic<std::uint64_t> last{0U};
    return last.fetch_add(1U) + 1U;
}

template <typename Entry>
Entry& entry_of(std::vector<Entry>& entries, std::uint32_t index, const char* what) {
    if (index >= entries.size()) {
        throw HostError{HostRule::kProgramUnknown,
                        fmt::format("the program has {} {}, number {} is asked for; use the handle that adding it gave",
                                    entries.size(), what, index)};
    }
    return entries[index];
}

std::uint64_t circular_bytes(std::uint32_t pages, std::uint32_t page_bytes) {
    if ((pages == 0U) || (page_bytes == 0U)) {
        throw HostError{HostRule::kBufferConfig,
                        fmt::format("a circular buffer of {} pages of {} bytes holds nothing", pages, page_bytes)};
    }
    return std::uint64_t{pages} * page_bytes;
}

}  // namespace

Program::State::~State() {
    const std::shared_ptr<MemoryHolder> holder = device.lock();
    if (holder != nullptr) {
        for (auto* const memories : {&circular_buffers, &semaphores}) {
            std::for_each(memories->begin(), memories->end(),
                          [&holder](LocalMemory& memory) { holder->release(memory); });
        }
    }
}

Program::Program(std::string name) : state_{std::make_unique<State>()} {
    state_->id = {next_program_id()};
    state_->name = std::move(name);
}
Program::~Program() = default;
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;

ProgramId Program::id() const noexcept {
    return state_->id;
}
const std::string& Program::name() const noexcept {
    return state_->name;
}

KernelHandle Program::add_kernel(refdev::KernelId kernel, const CoreRangeSet& cores) {
    const refdev::Kernel* const found = refdev::find_kernel(static_cast<std::uint32_t>(kernel));
    if (found == nullptr) {
        throw HostError{HostRule::kProgramKernel,
                        fmt::format("the kernel library has no kernel {}", static_cast<std::uint32_t>(kernel))};
    }
    KernelEntry entry;
    entry.kernel = found;
    entry.cores = cores;
    state_->kernels.push_back(std::move(entry));
    return {static_cast<std::uint32_t>(state_->kernels.size() - 1U)};
}

KernelHandle Program::add_kernel(const std::string& kernel, const CoreRangeSet& cores) {
    std::string known;
    for (const refdev::Kernel& candidate : refdev::kernel_rom()) {
        if (kernel == candidate.name) {
            return add_kernel(candidate.id, cores);
        }
        known += (known.empty() ? "" : ", ") + std::string{candidate.name};
    }
    throw HostError{HostRule::kProgramKernel,
                    fmt::format("the kernel library has no kernel '{}'; it has {}", kernel, known)};
}

void Program::set_runtime_args(KernelHandle kernel, CoreCoord core, Arguments arguments) {
    entry_of(state_->kernels, kernel.index, "kernels").arguments[{core.y, core.x}] = std::move(arguments);
}

void Program::set_runtime_args(KernelHandle kernel, const CoreRangeSet& cores, const Arguments& arguments) {
    for (const CoreCoord core : cores_of(cores)) {
        set_runtime_args(kernel, core, arguments);
    }
}

void Program::set_common_runtime_args(KernelHandle kernel, Arguments arguments) {
    entry_of(state_->kernels, kernel.index, "kernels").common = std::move(arguments);
}

CircularBufferHandle Program::add_circular_buffer(const CoreRangeSet& cores, std::uint32_t pages,
                                                  std::uint32_t page_bytes) {
    LocalMemory memory;
    memory.cores = cores;
    memory.bytes = circular_bytes(pages, page_bytes);
    state_->circular_buffers.push_back(memory);
    return {static_cast<std::uint32_t>(state_->circular_buffers.size() - 1U)};
}

void Program::deallocate_circular_buffer(CircularBufferHandle circular_buffer) {
    LocalMemory& memory = entry_of(state_->circular_buffers, circular_buffer.index, "circular buffers");
    const std::shared_ptr<MemoryHolder> holder = state_->device.lock();
    if (holder != nullptr) {
        holder->release(memory);
    }
    memory.offset.reset();
    memory.deallocated = true;
}

void Program::resize_circular_buffer(CircularBufferHandle circular_buffer, std::uint32_t pages,
                                     std::uint32_t page_bytes) {
    const std::uint64_t bytes = circular_bytes(pages, page_bytes);
    deallocate_circular_buffer(circular_buffer);
    LocalMemory& memory = state_->circular_buffers[circular_buffer.index];
    memory.bytes = bytes;
    memory.deallocated = false;
}

SemaphoreHandle Program::add_semaphore(const CoreRangeSet& cores, std::uint32_t initial) {
    LocalMemory memory;
    memory.cores = cores;
    memory.bytes = sizeof(std::uint32_t);
    memory.initial = initial;
    state_->semaphores.push_back(memory);
    return {static_cast<std::uint32_t>(state_->semaphores.size() - 1U)};
}

void Program::signal(KernelHandle kernel, SemaphoreHandle semaphore) {
    (void)entry_of(state_->semaphores, semaphore.index, "semaphores");
    entry_of(state_->kernels, kernel.index, "kernels").signals.push_back(semaphore.index);
}

void Program::wait(KernelHandle kernel, SemaphoreHandle semaphore) {
    (void)entry_of(state_->semaphores, semaphore.index, "semaphores");
    entry_of(state_->kernels, kernel.index, "kernels").waits.push_back(semaphore.index);
}

Program Program::copy(const std::function<BufferPtr(const BufferPtr&)>& replace) const {
    Program other{name()};
    other.state_->kernels = state_->kernels;
    other.state_->circular_buffers = state_->circular_buffers;
    other.state_->semaphores = state_->semaphores;
    for (auto* const memories : {&other.state_->circular_buffers, &other.state_->semaphores}) {
        for (LocalMemory& memory : *memories) {
            memory.offset.reset();
        }
    }
    const auto rename = [&replace](Arguments& arguments) {
        for (Argument& argument : arguments) {
            auto* const named = std::get_if<BufferArgument>(&argument);
            const BufferPtr buffer = (named != nullptr) ? named->buffer.lock() : nullptr;
            if (buffer != nullptr) {
                named->buffer = replace(buffer);
            }
        }
    };
    for (KernelEntry& kernel : other.state_->kernels) {
        rename(kernel.common);
        for (auto& [core, arguments] : kernel.arguments) {
            rename(arguments);
        }
    }
    return other;
}

}  // namespace pianola::host
