// Machine: the accelerator's hardware, made of a Vulkan device: memories, queues, command buffers.
//
// VulkanDevice uses it in place of a board. All Vulkan objects are made by open() or while traces are loaded; a step
// only submits and reads semaphores.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hal/devices/refdev/device_link.h"
#include "hal/devices/refdev/shared_state.h"
#include "hal/devices/refdev/vulkan/command_queue.h"

namespace pianola::vulkan {

struct MachineOptions {
    refdev::DeviceSpec spec;
    ContextOptions context;
    bool memory_is_visible{true};
    bool keep_completions{false};
    bool one_queue{false};  // behave as if the hardware had one
};

class Machine final : public refdev::DeviceLink {
  public:
    explicit Machine(const MachineOptions& options);
    ~Machine();
    Machine(const Machine&) = delete;
    Machine(Machine&&) = delete;
    Machine& operator=(const Machine&) = delete;
    Machine& operator=(Machine&&) = delete;

    // kOk; otherwise why() has the reason.
    Status open();
    // Why open() has refused; later, the last failed driver call and its result. Empty if none has failed.
    [[nodiscard]] std::string why() const;

    [[nodiscard]] std::uint8_t* memory_at(std::uint32_t address, std::uint32_t size_bytes) noexcept override;
    void signal(std::uint32_t /*queue*/) noexcept override {}
    Status service() noexcept override;
    void relax() noexcept override;
    [[nodiscard]] std::uint64_t now_us() noexcept override;
    // This process copies bound memory, so no cache maintenance is needed.
    void clean(ByteSpan /*memory*/) noexcept override {}
    void invalidate(MutableByteSpan /*memory*/) noexcept override {}

    // Called after a reset: regions are programmed again.
    void forget_command_buffers() noexcept { command_buffers_.clear(); }
    // A word of the trace region has changed.
    void patched(std::uint32_t address, std::uint32_t word) { command_buffers_.patch(address, word); }
    [[nodiscard]] std::vector<DirectQueues::Completed> take_completions(std::uint32_t queue) {
        return queues_.at(queue).take_completions();
    }
    [[nodiscard]] const MachineOptions& options() const noexcept { return options_; }
    [[nodiscard]] Parts& parts() noexcept { return parts_; }  // for measurements
    [[nodiscard]] refdev::SharedState& shared() noexcept { return *shared_; }
    [[nodiscard]] std::uint64_t moves() const noexcept { return share_.moves; }
    // Number of Vulkan objects made for traces since open().
    [[nodiscard]] std::uint64_t trace_objects() const noexcept { return parts_.objects; }

  private:
    Status refuse(Status status, const std::string& why);
    Status make_kernels();
    Status make_memory();
    Status make_timeline(VkSemaphore& semaphore) noexcept;
    Status make_sets();
    Status make_queue(std::uint32_t queue);
    // Runs new command buffers once, so that the driver compiles and sets up all of them, and restores memory.
    Status load();
    Status run_once(VkCommandBuffer commands);

    MachineOptions options_;
    std::string why_;
    std::unique_ptr<refdev::SharedState> shared_{std::make_unique<refdev::SharedState>()};
    Context context_;
    KernelPipelines pipelines_;
    DeviceMemory memory_;
    Parts parts_{context_, pipelines_, memory_, options_.spec, shared_->memory, VK_NULL_HANDLE, {}, {}, 0U};
    CommandBufferCache command_buffers_{parts_};
    QueueShare share_;
    std::array<CommandQueue, kMaxQueues> queues_{CommandQueue{0U, parts_, command_buffers_, *shared_, share_},
                                                 CommandQueue{1U, parts_, command_buffers_, *shared_, share_}};
    std::array<VkCommandBuffer, kMaxQueues> notify_{};
    VkDescriptorPool pool_{VK_NULL_HANDLE};
    std::array<VkDescriptorSet, kMaxQueues> sets_{};
    std::uint64_t bytes_{0U};  // of memory, including records
    std::vector<std::uint8_t> saved_;
};

}  // namespace pianola::vulkan
