// DigestEngine: hardware that computes SHA-256, such as a hash unit or a hardware security module.
//
// Place in the whole: an interface that the integrator may choose the implementation of, beside SignatureVerifier. A
// session without one computes digests on the loading core (sha256.h). load() takes three digests of the file: one in
// each of its two validations, and one of what the device holds. An engine is believed, as a verifier is: what it says
// decides whether a file is whole. Called while a binary is loaded, by the loading core only.
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
    // bounded by the implementation, which states it. Whatever is returned but kOk counts as a digest that differs, and
    // no more of the message follows: the next call is a begin().

    // Forgets what came before.
    virtual Status begin() noexcept = 0;
    // The next bytes of the message, of any number, none included, and alignment. They may change as soon as it has
    // returned.
    virtual Status update(ByteSpan bytes) noexcept = 0;
    // kOk only with the digest of this message, once the unit has computed it: the digest of an earlier one would
    // approve whatever the device holds.
    virtual Status finish(Sha256Digest& digest) noexcept = 0;

  protected:
    DigestEngine() = default;
    ~DigestEngine() = default;
};

}  // namespace pianola
