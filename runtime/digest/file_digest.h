// FileDigest: the digest of a message, by the integrator's engine where there is one.
//
// Authenticates a file, and the contents that a device holds.
#pragma once

#include "pianola/digest_engine.h"

namespace pianola {

class FileDigest {
  public:
    explicit FileDigest(DigestEngine* engine) noexcept;

    void update(ByteSpan bytes) noexcept;
    // Returns false if the engine failed; `digest` is then all zeros.
    [[nodiscard]] bool finish(Sha256Digest& digest) noexcept;

  private:
    DigestEngine* engine_;
    bool is_good_;
    Sha256 hash_;
};

}  // namespace pianola
