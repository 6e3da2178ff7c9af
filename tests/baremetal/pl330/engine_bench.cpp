#include "tests/baremetal/pl330/engine_bench.h"

#include <cstring>

#include "hal/arch/mmio.h"
#include "pianola/development_config.h"
#include "tests/pl330/exchange.h"

namespace pianola::baremetal {
namespace {

constexpr std::uint32_t kDebugCommand = 0xD04U;
constexpr std::uint32_t kDebugInstruction0 = 0xD08U;
constexpr std::uint32_t kDebugInstruction1 = 0xD0CU;
constexpr std::uint32_t kChannelStates = 0x100U;
constexpr std::uint32_t kChannelBytes = 8U;
constexpr std::uint32_t kStateMask = 0xFU;
constexpr std::uint32_t kWaitsForEvent = 4U;
constexpr std::uint32_t kUnusedEvent = kMaxEvents - 1U;

// The engine attests nothing: a session drives it only where that is accepted.
constexpr SessionConfig kConfig{kDevelopmentTrust, Release::kVerified, Evidence::kNotification};

}  // namespace

std::uint32_t WatchedLink::channel_status(std::uint32_t channel) noexcept {
    return link_.read(kChannelStates + (channel * kChannelBytes));
}

void WatchedLink::write(std::uint32_t offset, std::uint32_t value) noexcept {
    if (offset == kDebugCommand) {
        commands_ += 1U;
        if (commands_ == lost_command_) {
            return;
        }
    }
    link_.write(offset, value);
    if (offset == kDebugCommand) {
        for (std::uint32_t channel = 0U; channel < kMaxQueues; ++channel) {
            waits_[channel] += ((channel_status(channel) & kStateMask) == kWaitsForEvent) ? 1U : 0U;
        }
    }
}

// What is cleaned before the engine fetches it are programs as well: here one of them is damaged.
void WatchedLink::clean(ByteSpan memory) noexcept {
    const std::uint32_t good = pl330::send_event_program(mistaken_event_);
    if ((mistaken_event_ != kNever) && (memory.size() >= sizeof(good)) &&
        (std::memcmp(memory.data(), &good, sizeof(good)) == 0)) {
        mmio::write(link_.bus_address(memory.data()), pl330::send_event_program(kUnusedEvent));
    }
    link_.clean(memory);
}

void WatchedLink::kill(std::uint32_t channel) noexcept {
    constexpr std::uint32_t kKill = 0x0001'0001U;
    link_.write(kDebugInstruction0, kKill | (channel << 8U));
    link_.write(kDebugInstruction1, 0U);
    link_.write(kDebugCommand, 0U);
}

EngineBench::EngineBench() noexcept
    : device{board::kEngineSpec, link}, session{device, platform, command_set, kConfig} {}

EngineBench& engine_bench() noexcept {
    static EngineBench the_bench;
    return the_bench;
}

bool load_for_engine(ByteSpan file) noexcept {
    EngineBench& bench = engine_bench();
    const Status status = bench.session.load(file, bench.workspace, bench.verdict);
    if (status == Status::kRefused) {
        report_verdict(bench.verdict);
    } else if (!is_ok(status)) {
        report_fault(bench.session.fault());
    }
    return is_ok(status);
}

ExchangeMemory exchange_memory(LoadArea& area) noexcept {
    return {area.allocate(test::kExchangeInput), area.allocate(test::kExchangeOutput)};
}

Status exchange_step(const ExchangeMemory& memory, std::uint32_t seed) noexcept {
    test::fill_input(memory.input, seed);
    std::memset(memory.output.data(), static_cast<int>(seed & 0xFFU), memory.output.size());
    const std::array<ByteSpan, 1U> inputs{memory.input};
    const std::array<MutableByteSpan, 1U> outputs{memory.output};
    return engine_bench().session.run(inputs, outputs);
}

}  // namespace pianola::baremetal
