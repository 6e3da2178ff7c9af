// RefdevCommandSet: the reference device's encoding, for the runtime's proofs.
#pragma once

#include "hal/devices/refdev/costs/cost_model.h"
#include "pianola/command_set.h"

namespace pianola::refdev {

class RefdevCommandSet final : public CommandSet {
  public:
    // `costs` must outlive the object. It is that of the device's DeviceSpec. `in_order`: the device executes a launch
    // in the order of the kernel library, so that an output may overlap an input (launch_check.h, Lead).
    explicit RefdevCommandSet(const CostModel& costs = kVirtualCosts) noexcept
        : RefdevCommandSet{costs, !costs.commands.cores_are_parallel} {}
    RefdevCommandSet(const CostModel& costs, bool in_order) noexcept
        : CommandSet{}, costs_{costs}, in_order_{in_order} {}

    Status decode(WordSpan words, DecodeState& state, DecodedCommand& command,
                  DecodeError& error) const noexcept override;
    [[nodiscard]] KernelIdentity kernel(std::uint32_t id) const noexcept override;
    [[nodiscard]] PatchKind patch_kind(WordSpan words, std::uint32_t word) const noexcept override;
    [[nodiscard]] std::uint32_t queue_words(const QueueCommand& command) const noexcept override;
    [[nodiscard]] std::uint64_t queue_cycles(const QueueCommand& command) const noexcept override;
    [[nodiscard]] std::uint64_t seal(std::uint64_t digest, std::uint32_t number, std::uint64_t trace_digest,
                                     QueueCommand& command) const noexcept override;
    [[nodiscard]] std::uint64_t trace_digest(std::uint64_t digest, WordSpan words) const noexcept override;

  private:
    const CostModel& costs_;
    bool in_order_;
};

}  // namespace pianola::refdev
