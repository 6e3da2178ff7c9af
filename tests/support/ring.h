// A queue command as the reference device expects it in a ring, for tests that fill rings by hand.
#pragma once

#include <cstdint>

#include "hal/devices/refdev/queue_command.h"

namespace pianola::test {

// The first word of command `number` of a queue, of which `words` begins with header_word().
[[nodiscard]] inline std::uint32_t sealed_header(std::uint32_t number, WordSpan words) {
    refdev::CommandSums sums{refdev::first_term(number), 0U};
    for (std::uint32_t i = 0U; i < words.size(); ++i) {
        sums.add(i, words[i]);
    }
    return refdev::ring_header(words[0], refdev::check_bits_of(sums.check));
}

}  // namespace pianola::test
