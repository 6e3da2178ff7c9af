// The state of a program.
//
// Filled by Program, read by the compiler, which also notes where circular buffers and semaphores lie.
#pragma once

#include <map>

#include "pianola_host/program.h"

namespace pianola::host {

class MemoryHolder;

struct KernelEntry {
    const refdev::Kernel* kernel{nullptr};
    CoreRangeSet cores;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Arguments> arguments;  // by (y, x)
    Arguments common;
    std::vector<std::uint32_t> signals;  // semaphores
    std::vector<std::uint32_t> waits;
};

// L1 at one offset on all cores of a range.
struct LocalMemory {
    CoreRangeSet cores;
    std::uint64_t bytes{0U};
    std::uint32_t initial{0U};            // semaphores only
    bool deallocated{false};              // circular buffers only
    std::optional<std::uint32_t> offset;  // in L1, while it is allocated
};

struct Program::State {
    ProgramId id;
    std::string name;
    std::vector<KernelEntry> kernels;
    std::vector<LocalMemory> circular_buffers;
    std::vector<LocalMemory> semaphores;
    std::weak_ptr<MemoryHolder> device;  // that has the local memory

    ~State();
    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
};

}  // namespace pianola::host
