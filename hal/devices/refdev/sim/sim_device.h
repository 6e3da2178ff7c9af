// SimDevice: the reference device inside a host process.
//
// Captures are tried, self-tests recorded and tests run on it. Driver, command processors, kernels and region
// protection are the same sources that boards run; SimMachine replaces the board. Virtual time is the device's own cost
// model, so that logs are the same in every run, in one thread or in several.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "hal/devices/refdev/sim/faulty_driver.h"
#include "hal/devices/refdev/sim/sim_machine.h"

namespace pianola::sim {

class SimDevice final : public refdev::FaultyDriver {
  public:
    explicit SimDevice(const SimOptions& options);
    ~SimDevice();

    Status reset() noexcept override;
    Status bind_source(std::uint32_t slot, ByteSpan memory) noexcept override;
    Status bind_destination(std::uint32_t slot, MutableByteSpan memory) noexcept override;
    [[nodiscard]] ByteSpan bound_source(std::uint32_t slot) const noexcept override;
    [[nodiscard]] ByteSpan bound_destination(std::uint32_t slot) const noexcept override;
    [[nodiscard]] MutableByteSpan host_view(std::uint32_t address, std::uint32_t size_bytes) noexcept override;
    void give_to_device(ByteSpan view) noexcept override;
    // Both keep the time of the mesh.
    Status ring_doorbell(std::uint32_t queue) noexcept override;
    Status completion(std::uint32_t queue, std::uint32_t token, Completion& completion) noexcept override;

    // enqueue() for code without a session: seals the command as the queue's next one.
    Status append(std::uint32_t queue, QueueCommand command) noexcept;

    // The last published state of a queue, without advancing now_cycles().
    struct QueueState {
        bool stopped{false};                // `fault` says why
        std::uint32_t completed_token{0U};  // of the last notification that completed
        Completion fault;
    };
    [[nodiscard]] QueueState peek(std::uint32_t queue) const noexcept;
    // With keep_completions: completions since the last call, in order; at least up to the token of peek().
    [[nodiscard]] std::vector<CompletedToken> take_completions(std::uint32_t queue);

    // Rises whenever a queue advances; distinguishes a slow host from a stuck device.
    [[nodiscard]] std::uint64_t progress() const noexcept;
    [[nodiscard]] Threading threading() const noexcept;
    [[nodiscard]] const SimTime& time() const noexcept;

    // With keep_log: what a queue has executed since the log was last cleared. Only while the device is idle.
    [[nodiscard]] const std::vector<refdev::ExecutedCommand>& log(std::uint32_t queue) const;
    void clear_log();

    // With keep_execution_log: the dump of all queues' execution logs, as `pianola log` reads it. Only while the device
    // is idle.
    [[nodiscard]] std::vector<std::uint8_t> execution_logs() const;

    // Number of steps that changed bytes outside the extents of their commands, with check_accesses.
    [[nodiscard]] std::uint64_t access_violations() const noexcept;

    // Device memory as the control path sees it; nullptr outside. For tests that damage it.
    [[nodiscard]] std::uint8_t* memory_at(std::uint32_t address, std::uint64_t size_bytes) noexcept;
    // State shared by this side and the device's cores. For tests that damage it.
    [[nodiscard]] refdev::SharedState& shared() noexcept;

  private:
    explicit SimDevice(std::unique_ptr<SimMachine> machine);

    std::unique_ptr<SimMachine> machine_;
    std::array<std::uint32_t, kMaxQueues> appended_{};  // to each queue since reset
};

}  // namespace pianola::sim
