// Words of traces for a PL330: moves of any size and alignment, each as many groups as needed.
//
// For the lowering of programs, and for tools that write commands directly.
#pragma once

#include <cstdint>
#include <vector>

namespace pianola::pl330 {

using Words = std::vector<std::uint32_t>;

// A copy, a fill with zeros, a fill with the 4 bytes that are stored twice at `pattern`, a multiple of 8. No words for
// no bytes.
void append_copy(Words& words, std::uint32_t source, std::uint32_t destination, std::uint32_t size_bytes);
void append_zeros(Words& words, std::uint32_t destination, std::uint32_t size_bytes);
void append_pattern(Words& words, std::uint32_t pattern, std::uint32_t destination, std::uint32_t size_bytes);

}  // namespace pianola::pl330
