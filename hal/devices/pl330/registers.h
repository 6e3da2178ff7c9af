// Registers of the engine, and the driver's use of its events.
//
// Part of the driver. "CoreLink DMA-330 DMA Controller Technical Reference Manual", Arm, DDI 0424, chapter 3.
#pragma once

#include <cstdint>

#include "pianola/config.h"

namespace pianola::pl330 {

inline constexpr std::uint32_t kInterruptEnable = 0x020U;
inline constexpr std::uint32_t kRawEvents = 0x024U;
inline constexpr std::uint32_t kInterrupts = 0x028U;
inline constexpr std::uint32_t kInterruptClear = 0x02CU;
inline constexpr std::uint32_t kFaultTypes = 0x040U;
inline constexpr std::uint32_t kFaultTypeBytes = 4U;  // of each channel, as those below
inline constexpr std::uint32_t kChannelStates = 0x100U;
inline constexpr std::uint32_t kProgramCounters = 0x104U;
inline constexpr std::uint32_t kChannelBytes = 8U;
inline constexpr std::uint32_t kDebugStatus = 0xD00U;
inline constexpr std::uint32_t kDebugCommand = 0xD04U;
inline constexpr std::uint32_t kDebugInstruction0 = 0xD08U;
inline constexpr std::uint32_t kDebugInstruction1 = 0xD0CU;

// Through the debug registers: DMAGO by the manager, to run secure, and DMAKILL by a channel.
inline constexpr std::uint32_t kGo = 0x00A0'0000U;
inline constexpr std::uint32_t kGoChannelShift = 24U;
inline constexpr std::uint32_t kKill = 0x0001'0001U;
inline constexpr std::uint32_t kKillChannelShift = 8U;

// States of a channel thread.
inline constexpr std::uint32_t kStateMask = 0xFU;
inline constexpr std::uint32_t kStopped = 0U;
inline constexpr std::uint32_t kFaultingCompleting = 14U;
inline constexpr std::uint32_t kFaulting = 15U;

// Reasons of a faulting thread.
inline constexpr std::uint32_t kUndefinedInstruction = 1U << 0U;
inline constexpr std::uint32_t kBusErrors = (1U << 16U) | (1U << 17U) | (1U << 18U);  // fetch, write, read
inline constexpr std::uint32_t kLockedUp = 1U << 31U;

// The engine's first events are the session's; then comes one interrupt per queue, for notifications.
inline constexpr std::uint32_t kFirstNotification = kMaxEvents;
inline constexpr std::uint32_t kEngineEvents = 16U;
static_assert((kFirstNotification + kMaxQueues) <= kEngineEvents);
inline constexpr std::uint32_t kNotifications = ((1U << kMaxQueues) - 1U) << kFirstNotification;

}  // namespace pianola::pl330
