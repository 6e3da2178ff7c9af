// Checker: what this build's validator says of a file.
//
// The mutation kit asks it about every base and every mutant. The checks are those of `pianola verify`: the target's
// own, and then the host's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "capture_host/binary/verify.h"
#include "capture_host/mutate/subject.h"
#include "capture_host/mutate/trusts.h"

namespace pianola::mutate {

class Checker {
  public:
    // For the subject's device and target.
    explicit Checker(const Subject& subject) : device_{subject.device}, command_set_{subject.target->command_set()} {}

    // The verdict stays valid until the next call. The file is shift_bytes after an address that the runtime accepts.
    const Verdict& check(const std::vector<std::uint8_t>& file, std::uint32_t shift_bytes = 0U,
                         TrustKind trust = TrustKind::kDevelopment);

  private:
    DeviceDescription device_;
    const CommandSet& command_set_;
    capture::Verification proofs_;
};

}  // namespace pianola::mutate
