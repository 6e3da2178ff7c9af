#include "capture_host/host/program/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>

#include "hal/devices/refdev/device_spec.h"
#include "pianola_host/host_error.h"

namespace pianola::host {
namespace {

bool names(const std::vector<std::uint32_t>& list, std::uint32_t index) {
    return std::find(list.begin(), list.end(), index) != list.end();
}

using CoreSet = std::bitset<std::size_t{refdev::kMaxGridEdge} * refdev::kMaxGridEdge>;

// check_structure() has found the cores to lie in the grid.
CoreSet core_set(const KernelEntry& kernel) {
    CoreSet set;
    for (const CoreCoord core : cores_of(kernel.cores)) {
        set.set((std::size_t{core.y} * refdev::kMaxGridEdge) + core.x);
    }
    return set;
}

bool signals_for(const KernelEntry& signaller, const KernelEntry& waiter) {
    return std::any_of(waiter.waits.begin(), waiter.waits.end(),
                       [&signaller](std::uint32_t semaphore) { return names(signaller.signals, semaphore); });
}

void check_signalled(const Program::State& program) {
    for (std::size_t i = 0U; i < program.kernels.size(); ++i) {
        for (const std::uint32_t semaphore : program.kernels[i].waits) {
            const bool signalled =
                std::any_of(program.kernels.begin(), program.kernels.end(),
                            [semaphore](const KernelEntry& kernel) { return names(kernel.signals, semaphore); });
            if (!signalled && (program.semaphores.at(semaphore).initial == 0U)) {
                throw HostError{
                    HostRule::kProgramSemaphore,
                    fmt::format("kernel {} ({}) of '{}' waits for semaphore {}, which starts at 0 and which no "
                                "kernel signals: it would wait for ever; let a kernel signal it",
                                i, program.kernels[i].kernel->name, program.name, semaphore)};
            }
        }
    }
}

}  // namespace

std::vector<std::uint32_t> levels_of(const Program::State& program) {
    check_signalled(program);
    const std::size_t count = program.kernels.size();
    std::vector<std::uint32_t> levels(count, 0U);
    if (std::none_of(program.kernels.begin(), program.kernels.end(),
                     [](const KernelEntry& kernel) { return !kernel.waits.empty(); })) {
        return levels;
    }
    std::vector<CoreSet> cores;
    for (const KernelEntry& kernel : program.kernels) {
        cores.push_back(core_set(kernel));
    }
    // Longest paths; more rounds than kernels mean a circle.
    for (std::size_t round = 0U; round <= count; ++round) {
        bool changed = false;
        for (std::size_t from = 0U; from < count; ++from) {
            for (std::size_t to = 0U; to < count; ++to) {
                const KernelEntry& first = program.kernels[from];
                const KernelEntry& second = program.kernels[to];
                std::uint32_t least = 0U;
                if (signals_for(first, second)) {
                    least = levels[from] + 1U;
                } else if ((from < to) && (cores[from] & cores[to]).any()) {
                    least = levels[from];
                }
                if (least > levels[to]) {
                    levels[to] = least;
                    changed = true;
                }
            }
        }
        if (!changed) {
            return levels;
        }
    }
    throw HostError{
        HostRule::kProgramSemaphore,
        fmt::format("the kernels of '{}' wait for each other in a circle, or one waits for a kernel that comes "
                    "after it on its own core; add the kernels that signal before those that wait",
                    program.name)};
}

}  // namespace pianola::host
