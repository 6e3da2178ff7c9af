// Whether a binary's inputs and outputs can be used where they lie.
//
// Place in the whole: `inspect` and its page say the same. Host only.
#pragma once

#include <optional>
#include <string>

#include "capture_host/cli/target_option.h"
#include "pianola/image.h"

namespace pianola::cli {

// Whether there is a target for the family that the file names.
[[nodiscard]] bool is_known(const BinaryFile& file, const Image& image);

// Whether zero-copy I/O is possible on the device that the binary is for, and what speaks against it. Nothing is known
// where the proofs can not be made.
struct Views {
    std::optional<bool> possible;
    std::string why_not;
};
[[nodiscard]] Views find_views(const BinaryFile& file, const Image& image);

}  // namespace pianola::cli
