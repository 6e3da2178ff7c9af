// Subject: the trace binary that mutants are made of, in pieces; and Checker: what this build's validator says of it
// and of its mutants.
//
// A mutant breaks an intact file. `pianola verify` makes the same checks: first those of the target, then those of the
// host.
#pragma once

#include <cstdint>
#include <vector>

#include "capture_host/binary/verify.h"
#include "capture_host/mutate/trusts.h"
#include "hal/host/target.h"
#include "pianola/device.h"
#include "pianola/image.h"
#include "pianola_host/manifest.h"

namespace pianola::mutate {

struct Subject {
    std::vector<std::uint8_t> file;
    capture::Manifest manifest;
    capture::Segments segments;
    const Target* target{nullptr};  // static lifetime
    DeviceDescription device;       // that the file is for
    // The size of the file as given. If it was signed, `file` has no signature: an attacker who damages a file has no
    // key.
    std::size_t given_bytes{0U};
    Sha256Digest given_sha256{};
};

// `image` shows a file that the validator has accepted for the device.
[[nodiscard]] Subject read_subject(ByteSpan file, const Image& image, const Target& target,
                                   const DeviceDescription& device);

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
