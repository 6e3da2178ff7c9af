// Replays a trace of some copies, for callgrind to count what the submitting thread spends: cost.py reads it.
// usage: pianola_vulkan_cost COMMANDS REPLAYS record|replay
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "hal/devices/refdev/host/command_words.h"
#include "hal/devices/refdev/kernels/arguments.h"
#include "tests/vulkan/agreement.h"

namespace pianola::vulkan {

// What is counted of a step: everything up to what the driver is given, and before it, where that is wanted, recording.
[[gnu::noinline, gnu::used]] static void measured_step(VulkanDevice& device, const QueueCommand& command,
                                                       std::uint32_t token, const std::vector<std::uint32_t>& recorded);

namespace {

constexpr std::uint32_t kBytes = 64U;

std::vector<std::uint32_t> copies(std::uint32_t count, std::uint32_t base) {
    std::vector<std::uint32_t> words;
    for (std::uint32_t i = 0U; i < count; ++i) {
        refdev::append(words, refdev::launch_words(refdev::KernelId::kCopy,
                                                   refdev::to_words(refdev::CopyArguments{
                                                       base + (i * kBytes), base + ((i + 1U) * kBytes), kBytes})));
    }
    refdev::append(words, refdev::end_words());
    return words;
}

int run(std::uint32_t commands, std::uint32_t replays, bool records) {
    Watched watched{Judge::kNone};
    VulkanDevice& device = watched.opened().device;
    const std::vector<std::uint32_t> words = copies(commands, device.spec().dram_base);
    const std::uint32_t region = trace_address(device.spec());
    if (!watched.load(words)) {
        return 1;
    }
    QueueCommand command;
    command.kind = QueueCommandKind::kReplay;
    command.address = region;
    command.size_bytes = static_cast<std::uint32_t>(words.size() * sizeof(std::uint32_t));
    for (std::uint32_t i = 0U; i < replays; ++i) {
        measured_step(device, command, i + 2U, records ? words : std::vector<std::uint32_t>{});
        if (!watched.wait(i + 2U)) {
            return 1;
        }
    }
    return 0;
}

}  // namespace

void measured_step(VulkanDevice& device, const QueueCommand& command, std::uint32_t token,
                   const std::vector<std::uint32_t>& recorded) {
    if (!recorded.empty()) {
        TraceCommandBuffer again{device.machine().parts(), command.address, {recorded.data(), recorded.size()}};
        (void)again.record();
    }
    submit(device, command, token);
}

}  // namespace pianola::vulkan

int main(int argc, char** argv) {
    if (argc != 4) {
        std::cerr << "usage: pianola_vulkan_cost COMMANDS REPLAYS record|replay\n";
        return 2;
    }
    return pianola::vulkan::run(static_cast<std::uint32_t>(std::strtoul(argv[1], nullptr, 10)),
                                static_cast<std::uint32_t>(std::strtoul(argv[2], nullptr, 10)),
                                std::strcmp(argv[3], "record") == 0);
}
