#include "hal/devices/pl330/host/words.h"

#include "hal/devices/pl330/encoding.h"

namespace pianola::pl330 {
namespace {

// Group after group, until nothing is left.
void append_moves(Words& words, Move at, std::uint32_t size_bytes, Group (*encode)(const Move&) noexcept) {
    while (size_bytes != 0U) {
        const Move move = first_move(at.source, at.destination, size_bytes, at.source_increments);
        const Group group = encode(move);
        words.insert(words.end(), group.words.begin(), group.words.begin() + group.count);
        at.source += at.source_increments ? moved_bytes(move) : 0U;
        at.destination += moved_bytes(move);
        size_bytes -= moved_bytes(move);
    }
}

}  // namespace

void append_copy(Words& words, std::uint32_t source, std::uint32_t destination, std::uint32_t size_bytes) {
    append_moves(words, {source, destination, 0U, 1U, 1U, true}, size_bytes, encode_copy);
}

void append_zeros(Words& words, std::uint32_t destination, std::uint32_t size_bytes) {
    append_moves(words, {0U, destination, 0U, 1U, 1U, false}, size_bytes, encode_zeros);
}

void append_pattern(Words& words, std::uint32_t pattern, std::uint32_t destination, std::uint32_t size_bytes) {
    append_moves(words, {pattern, destination, 0U, 1U, 1U, false}, size_bytes, encode_copy);
}

}  // namespace pianola::pl330
