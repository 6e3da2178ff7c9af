// State that a command set keeps between the commands of a trace.
#include "runtime/plan/proof.h"

namespace pianola::proof {
namespace {

// The command set gives this number; it may be wrong.
[[nodiscard]] std::uint32_t used_words(const DecodeState& state) noexcept {
    return (state.used < kMaxDecodeStateWords) ? state.used : kMaxDecodeStateWords;
}

}  // namespace

void clear_state(DecodeState& state) noexcept {
    for (std::uint32_t i = 0U; i < used_words(state); ++i) {
        state.words[i] = 0U;
    }
    state.used = 0U;
}

void copy_state(const DecodeState& other, DecodeState& state) noexcept {
    clear_state(state);
    state.used = used_words(other);
    for (std::uint32_t i = 0U; i < state.used; ++i) {
        state.words[i] = other.words[i];
    }
}

bool is_same_state(const DecodeState& state, const DecodeState& other) noexcept {
    bool is_same = used_words(state) == used_words(other);
    for (std::uint32_t i = 0U; is_same && (i < used_words(state)); ++i) {
        is_same = state.words[i] == other.words[i];
    }
    return is_same;
}

}  // namespace pianola::proof
