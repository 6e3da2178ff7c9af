// CostModel: device cycles of commands and launches.
//
// The virtual device's costs are exact by definition. Where a processor core executes the kernels, costs are upper
// bounds in instructions of that core, for the kernels of this library as one compiler builds them (costs/): each
// launch is the sum of its loops' turns (work.h), weighted by coefficients that were fitted to counted instructions and
// are checked against others (docs/evidence/costs.md). The host has all models; a target's image links its own.
#pragma once

#include <array>
#include <cstdint>

#include "hal/devices/refdev/costs/virtual.h"
#include "hal/devices/refdev/kernels/kernel.h"
#include "hal/devices/refdev/kernels/work.h"
#include "pianola/device.h"
#include "pianola/span.h"

namespace pianola::refdev {

// A command that moves `size` bytes: fixed + size * per_kibibyte / 1024, rounded up.
struct MoveCosts {
    std::uint32_t fixed;
    std::uint32_t per_kibibyte;
};

struct CommandCosts {
    std::uint32_t launch;    // besides its kernel
    std::uint32_t dispatch;  // besides a launch
    std::uint32_t barrier;
    std::uint32_t end;
    MoveCosts copy;
    MoveCosts fill;
    MoveCosts write;  // from the host
    MoveCosts read;   // to the host
    std::uint32_t replay;
    std::uint32_t record;
    std::uint32_t wait;  // that is already satisfied
    std::uint32_t notify;
    bool cores_are_parallel;  // otherwise the queue's core executes dispatches itself, one after another
};

// Fixed point: 1 cycle is kCostScale.
inline constexpr std::uint32_t kCostScale = 256U;
inline constexpr std::uint32_t kMaxCoefficient = 1U << 22U;

struct KernelCosts {
    std::uint32_t version{0U};  // raised whenever the cost of any launch changes
    std::array<std::uint32_t, kWorkTerms> per_turn{};
};

struct CostModel {
    std::uint32_t number{0U};  // part of a binary's target; never reused
    const char* name{""};
    CostKind kind{CostKind::kUnspecified};
    Loops loops{Loops::kPortable};
    CommandCosts commands{};
    Span<const KernelCosts> kernels;  // by id, from 1; empty: the formula of the virtual device
};

[[nodiscard]] std::uint64_t move_cost(const MoveCosts& costs, std::uint32_t size_bytes) noexcept;

// Of a launch that describe() accepts, with the extents that it gives; without CommandCosts::launch.
[[nodiscard]] std::uint64_t launch_cost(const CostModel& model, const Kernel& kernel, WordSpan arguments,
                                        const ExtentList& extents) noexcept;

// KernelCosts::version; 1 for the virtual device.
[[nodiscard]] std::uint32_t cost_version(const CostModel& model, const Kernel& kernel) noexcept;

[[nodiscard]] std::uint64_t queue_cost(const CommandCosts& costs, QueueCommandKind kind,
                                       std::uint32_t size_bytes) noexcept;

extern const CostModel kCortexM7DspCosts;
extern const CostModel kCortexM55MveCosts;
extern const CostModel kCortexM33DspCosts;
extern const CostModel kCortexR5fDspCosts;
extern const CostModel kRv32imPortableCosts;

}  // namespace pianola::refdev
