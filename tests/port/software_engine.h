// A digest engine that computes on this core: what a right one does.
#pragma once

#include "pianola/digest_engine.h"

namespace pianola::port {

class SoftwareEngine : public DigestEngine {
  public:
    virtual ~SoftwareEngine() = default;

    Status begin() noexcept override {
        hash_ = Sha256{};
        return Status::kOk;
    }
    Status update(ByteSpan bytes) noexcept override {
        hash_.update(bytes);
        return Status::kOk;
    }
    Status finish(Sha256Digest& digest) noexcept override {
        digest = hash_.finish();
        return Status::kOk;
    }

  private:
    Sha256 hash_;
};

}  // namespace pianola::port
