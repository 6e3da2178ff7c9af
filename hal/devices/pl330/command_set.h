// Pl330CommandSet: traces of a PL330, for the runtime's proofs.
//
// A command is one of the groups of encoding.h; every other word is refused. The engine publishes no costs, counts
// nothing and has no digest: these are 0 here.
#pragma once

#include "pianola/command_set.h"

namespace pianola::pl330 {

// Stateless: all objects behave alike.
class Pl330CommandSet final : public CommandSet {
  public:
    Status decode(WordSpan words, DecodeState& state, DecodedCommand& command,
                  DecodeError& error) const noexcept override;
    [[nodiscard]] KernelIdentity kernel(std::uint32_t id) const noexcept override;
    [[nodiscard]] PatchKind patch_kind(WordSpan words, std::uint32_t word) const noexcept override;
    [[nodiscard]] std::uint32_t queue_words(const QueueCommand& command) const noexcept override;
    [[nodiscard]] std::uint64_t queue_cycles(const QueueCommand& command) const noexcept override;
    [[nodiscard]] std::uint64_t seal(std::uint64_t digest, std::uint32_t number, std::uint64_t trace_digest,
                                     QueueCommand& command) const noexcept override;
    [[nodiscard]] std::uint64_t trace_digest(std::uint64_t digest, WordSpan words) const noexcept override;
};

// The check of a queue command, over its number in its queue and every word. The driver compares it before it starts
// the command.
[[nodiscard]] std::uint32_t check_of(std::uint32_t number, const QueueCommand& command) noexcept;

}  // namespace pianola::pl330
