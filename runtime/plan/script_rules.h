// Permitted contents of scripts. Included by scripts.cpp, by pipeline.cpp and by the replacement of the latter.
#pragma once

#include "runtime/plan/proof.h"

namespace pianola::proof {

inline constexpr std::size_t kKinds = static_cast<std::size_t>(ScriptCommandKind::kWaitEvent) + 1U;

// Properties of a kind of script command, and the objects that it may name.
struct KindRule {
    Field field;             // that names its object
    QueueCommandKind queue;  // what the device gets
    // The scripts that may have it, a bit per kind: only set-up may write weights and load traces; it may do nothing
    // else.
    std::uint8_t scripts;
    Rule once;  // refuses a second command on the same object in one script; kNotRun if any number is permitted
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
    {Field::kBody, QueueCommandKind::kUnspecified, 0U, Rule::kNotRun},
    {Field::kBuffer, QueueCommandKind::kWrite, kSetup, Rule::kNotRun},  // weights have a rule for bytes
    {Field::kTrace, QueueCommandKind::kWrite, kSetup, Rule::kScrTraceOnce},
    {Field::kInput, QueueCommandKind::kWrite, kFirst, Rule::kScrInputOnce},
    {Field::kTrace, QueueCommandKind::kReplay, kAny, Rule::kScrTraceOnce},
    {Field::kOutput, QueueCommandKind::kRead, kLast, Rule::kScrOutputOnce},
    {Field::kEvent, QueueCommandKind::kRecordEvent, kAny, Rule::kNotRun},  // records and waits alternate: order.cpp
    {Field::kEvent, QueueCommandKind::kWaitEvent, kAny, Rule::kNotRun},
}};

[[nodiscard]] constexpr std::size_t index_of(ScriptCommandKind kind) noexcept {
    return static_cast<std::size_t>(kind);
}

// A number per kind of command.
using PerKind = std::array<std::uint32_t, kKinds>;

// The devices for which a script names each object, of the kinds of command that may do so once.
inline constexpr std::size_t kFirstOnce = index_of(ScriptCommandKind::kLoadTrace);
inline constexpr std::size_t kOnceKinds = (index_of(ScriptCommandKind::kReadOutput) - kFirstOnce) + 1U;
using NamedObjects = std::array<std::uint16_t, kMaxTraces>;
using Named = std::array<NamedObjects, kOnceKinds>;
static_assert((kMaxInputs <= kMaxTraces) && (kMaxOutputs <= kMaxTraces));

// scripts.cpp: the first of the tensors that is not named for every device that has a part of it (others are refused);
// their number if there is none.
[[nodiscard]] std::uint32_t first_missing(Span<const PlannedTensor> tensors, const NamedObjects& named) noexcept;

// pipeline.cpp: the first inputs and the last outputs of a pipelined workload: all of both, or none of either.
[[nodiscard]] bool check_pipeline(Context& context, const NamedObjects& prologue_inputs,
                                  const NamedObjects& epilogue_outputs) noexcept;

}  // namespace pianola::proof
