// What scripts may hold. Included by scripts.cpp only.
#pragma once

#include "runtime/plan/proof.h"

namespace pianola::proof {

inline constexpr std::size_t kKinds = static_cast<std::size_t>(ScriptCommandKind::kWaitEvent) + 1U;

// What a kind of script command is, and what it may name.
struct KindRule {
    const char* field;       // that names its object
    QueueCommandKind queue;  // what the device gets
    // Where it belongs, a bit per kind: only set-up may write weights and load traces; it may do nothing else.
    std::uint8_t scripts;
    Rule once;  // refuses a second command on the same object in one script; kNotRun where there may be any number
};
[[nodiscard]] constexpr std::uint8_t bit_of(ScriptKind kind) noexcept {
    return static_cast<std::uint8_t>(1U << static_cast<std::uint32_t>(kind));
}
inline constexpr std::uint8_t kSetup = bit_of(ScriptKind::kSetup);
inline constexpr std::uint8_t kStep = bit_of(ScriptKind::kStep);
inline constexpr std::uint8_t kFirst = static_cast<std::uint8_t>(kStep | bit_of(ScriptKind::kPrologue));
inline constexpr std::uint8_t kLast = static_cast<std::uint8_t>(kStep | bit_of(ScriptKind::kEpilogue));
inline constexpr std::uint8_t kAny = static_cast<std::uint8_t>(kFirst | kLast);
inline constexpr std::array<KindRule, kKinds> kKindRules{{
    {"body", QueueCommandKind::kUnspecified, 0U, Rule::kNotRun},
    {"buffer", QueueCommandKind::kWrite, kSetup, Rule::kNotRun},  // weights have a rule for bytes
    {"trace", QueueCommandKind::kWrite, kSetup, Rule::kScrTraceOnce},
    {"input", QueueCommandKind::kWrite, kFirst, Rule::kScrInputOnce},
    {"trace", QueueCommandKind::kReplay, kAny, Rule::kScrTraceOnce},
    {"output", QueueCommandKind::kRead, kLast, Rule::kScrOutputOnce},
    {"event", QueueCommandKind::kRecordEvent, kAny, Rule::kNotRun},  // events take turns: order.cpp
    {"event", QueueCommandKind::kWaitEvent, kAny, Rule::kNotRun},
}};

[[nodiscard]] constexpr std::size_t index_of(ScriptCommandKind kind) noexcept {
    return static_cast<std::size_t>(kind);
}

// A number per kind of command.
using PerKind = std::array<std::uint32_t, kKinds>;

}  // namespace pianola::proof
