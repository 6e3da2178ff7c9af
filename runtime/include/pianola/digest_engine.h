// DigestEngine: hardware that computes SHA-256, such as a hash unit or a hardware security module.
//
// An optional interface for the integrator, like SignatureVerifier. A session without one computes digests on the
// loading core (sha256.h). load() takes one digest of the file, in the first of its two validations. An engine is
// trusted, as a verifier is: its result decides whether a file is intact. Called while a binary is loaded, by the
// loading core only.
#pragma once

#include "pianola/sha256.h"
#include "pianola/span.h"
#include "pianola/status.h"

namespace pianola {

class DigestEngine {
  public:
    DigestEngine(const DigestEngine&) = delete;
    DigestEngine(DigestEngine&&) = delete;
    DigestEngine& operator=(const DigestEngine&) = delete;
    DigestEngine& operator=(DigestEngine&&) = delete;

    // One message at a time: begin(), update() as often as needed, finish() once. Each blocks for a time that is
    // bounded by the implementation, which states it. Any result except kOk counts as a digest that differs, and no
    // more of the message follows: the next call is a begin().

    // Discards any previous message.
    virtual Status begin() noexcept = 0;
    // The next bytes of the message: any number, including none, at any alignment. They may change after it has
    // returned.
    virtual Status update(ByteSpan bytes) noexcept = 0;
    // kOk only with the digest of this message, once the unit has computed it: an earlier message's digest would
    // approve any device contents.
    virtual Status finish(Sha256Digest& digest) noexcept = 0;

  protected:
    DigestEngine() = default;
    ~DigestEngine() = default;
};

}  // namespace pianola
