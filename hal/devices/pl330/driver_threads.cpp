// The engine's channel threads: start, stop, progress.
#include "hal/devices/pl330/driver.h"
#include "hal/devices/pl330/registers.h"

namespace pianola::pl330 {
namespace {

constexpr std::uint32_t kDebugTurns = 10'000U;
constexpr std::uint32_t kResetTurns = 10'000'000U;  // for a stopped clock

}  // namespace

std::uint32_t Pl330Driver::state_of(std::uint32_t channel) noexcept {
    return link_.read(kChannelStates + (channel * kChannelBytes)) & kStateMask;
}

bool Pl330Driver::debug_is_idle() noexcept {
    for (std::uint32_t turn = 0U; turn < kDebugTurns; ++turn) {
        if ((link_.read(kDebugStatus) & 1U) == 0U) {
            return true;
        }
    }
    return false;
}

Status Pl330Driver::go(std::uint32_t channel, std::uint32_t address) noexcept {
    if (!debug_is_idle()) {
        return Status::kDeviceFault;
    }
    link_.write(kDebugInstruction0, kGo | (channel << kGoChannelShift));
    link_.write(kDebugInstruction1, address);
    link_.write(kDebugCommand, 0U);
    return Status::kOk;
}

// True if the thread has reached the state within the limit.
bool Pl330Driver::stops_at(std::uint32_t channel, std::uint32_t state) noexcept {
    const std::uint64_t started_us = link_.now_us();
    for (std::uint32_t turn = 0U; turn < kResetTurns; ++turn) {
        if (state_of(channel) == state) {
            return true;
        }
        if ((link_.now_us() - started_us) > kResetLimitUs) {
            return false;
        }
    }
    return false;
}

bool Pl330Driver::kill(std::uint32_t channel) noexcept {
    if (state_of(channel) == kStopped) {
        return true;
    }
    if (!debug_is_idle()) {
        return false;
    }
    link_.write(kDebugInstruction0, kKill | (channel << kKillChannelShift));
    link_.write(kDebugInstruction1, 0U);
    link_.write(kDebugCommand, 0U);
    return stops_at(channel, kStopped);
}

// An event that was sent but not awaited stays set in the engine, and no register clears it: a thread must wait for it.
bool Pl330Driver::forget_events() noexcept {
    for (std::uint32_t event = 0U; event < kMaxEvents; ++event) {
        if ((link_.read(kRawEvents) & (1U << event)) == 0U) {
            continue;
        }
        const std::array<std::uint32_t, 1U> wait{wait_event_program(event)};
        if (!is_ok(go(0U, place(programs_[0][0], wait))) || !stops_at(0U, kStopped)) {
            return false;
        }
    }
    return true;
}

}  // namespace pianola::pl330
