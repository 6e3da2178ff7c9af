// Subject: the trace binary that mutants are made of, in pieces.
//
// Whatever a mutant breaks, it breaks in a file that was whole before.
#pragma once

#include <cstdint>
#include <vector>

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

}  // namespace pianola::mutate
