// BearSslVerifier: signatures verified in software, on the core that loads, by BearSSL.
//
// One implementation of SignatureVerifier, for ECUs without a hardware security module and for the host. For such a
// module the integrator writes another implementation, whose verify() passes digest, signature and key (or the key's
// slot) to the module and waits, for a bounded time, for its answer; nothing else changes. Has no state: one object is
// enough.
//
// Cost on a board: at most 3,072 bytes of stack, no heap, no mutable data, and at -O2 12 to 18 million instructions: to
// within 100 the same for every signature whose r and s are in range, and fewer for others. docs/evidence/measured.md
// has the numbers of each board.
//
// BearSSL as a distribution packages it is certified for nothing: in terms of ISO 26262 it is QM. Its wrong answer can
// accept an unsigned binary, but not one that the proofs at load refuse.
//
// Source of the algorithm: FIPS 186-5, section 6.4.2, with the checks of the public key of SEC 1, section 3.2.2.1.
#pragma once

#include "pianola/signature.h"
#include "pianola/status.h"

namespace pianola {

class BearSslVerifier final : public SignatureVerifier {
  public:
    BearSslVerifier() = default;
    ~BearSslVerifier() = default;
    BearSslVerifier(const BearSslVerifier&) = delete;
    BearSslVerifier(BearSslVerifier&&) = delete;
    BearSslVerifier& operator=(const BearSslVerifier&) = delete;
    BearSslVerifier& operator=(BearSslVerifier&&) = delete;

    // kOk or kRefused. It also refuses an r or s that is zero or not below the curve's order; a key with a coordinate
    // that is not below the field's prime, or that is not a point of the curve; and a digest that is a multiple of the
    // curve's order, because BearSSL cannot compute with the point at infinity; no message with such a digest is known.
    Status verify(const Sha256Digest& digest, const Signature& signature, const PublicKey& key) const noexcept override;
};

}  // namespace pianola
