// RefdevCommandSet: the reference device's encoding, for the runtime's proofs.
#pragma once

#include "pianola/command_set.h"

namespace pianola::refdev {

// Stateless: all objects behave alike.
class RefdevCommandSet final : public CommandSet {
  public:
    Status decode(WordSpan words, DecodeState& state, DecodedCommand& command,
                  DecodeError& error) const noexcept override;
    [[nodiscard]] PatchKind patch_kind(WordSpan words, std::uint32_t word) const noexcept override;
    [[nodiscard]] std::uint32_t queue_words(const QueueCommand& command) const noexcept override;
    [[nodiscard]] std::uint64_t queue_cycles(const QueueCommand& command) const noexcept override;
    [[nodiscard]] std::uint64_t seal(std::uint64_t digest, std::uint32_t number, std::uint64_t trace_digest,
                                     QueueCommand& command) const noexcept override;
    [[nodiscard]] std::uint64_t trace_digest(std::uint64_t digest, WordSpan words) const noexcept override;
};

}  // namespace pianola::refdev
