// DecodeState: what decode() keeps between the commands of a trace.
#include "hal/port_kit/decode_answers.h"

namespace pianola::port {
namespace {

constexpr std::uint32_t kStateGuard = 0xC0FF'EE11U;
struct GuardedState {
    std::uint32_t before{kStateGuard};
    DecodeState state;
    std::uint32_t after{kStateGuard};
};

// Nothing around a state is written, and no word of it that `used` does not name.
bool expect_well_formed(Kit& kit, const GuardedState& guarded, std::uint32_t at) noexcept {
    bool is_rest_0 = true;
    for (std::uint32_t i = guarded.state.used; i < guarded.state.words.size(); ++i) {
        is_rest_0 = is_rest_0 && (guarded.state.words[i] == 0U);
    }
    return kit.expect((guarded.before == kStateGuard) && (guarded.after == kStateGuard),
                      "decode() writes outside of its state", at) &&
           kit.expect(guarded.state.used <= guarded.state.words.size(),
                      "decode() uses more words of its state than there are", guarded.state.used,
                      guarded.state.words.size()) &&
           kit.expect(is_rest_0, "decode() leaves something in a word of its state behind those that are used", at);
}

// The same after the command with any other word in it, where it is one.
bool expect_well_formed_near(Kit& kit, const GuardedState& before, std::uint32_t at,
                             std::uint32_t length_words) noexcept {
    for (std::uint32_t word = 0U; word < length_words; ++word) {
        const std::uint32_t old = kit.trace().words[at + word];
        for (const std::uint32_t value : list_of(0U, 1U, old + 1U, old ^ 0x80U, old ^ 0x0001'0000U, UINT32_MAX)) {
            GuardedState guarded = before;
            Answer answer;
            kit.trace().words[at + word] = value;
            answer.status = kit.command_set().decode(kit.trace().view().subspan(at, kit.trace().count - at),
                                                     guarded.state, answer.command, answer.error);
            kit.trace().words[at + word] = old;
            if (is_ok(answer.status) && !expect_well_formed(kit, guarded, at)) {
                return false;
            }
        }
    }
    return true;
}

}  // namespace

// State is a function of the words and of the state before, and nothing around it is written.
void decode_keeps_to_its_state(Kit& kit) noexcept {
    for (std::uint32_t i = 0U; kit.sample(i, kit.base(), kit.trace()); ++i) {
        GuardedState guarded;
        std::uint32_t at = 0U;
        while (at < kit.trace().count) {
            const WordSpan words = kit.trace().view().subspan(at, kit.trace().count - at);
            const GuardedState before = guarded;
            GuardedState copy = guarded;
            Answer first;
            Answer again;
            Answer fresh;
            make_dirty(again);
            first.status = kit.command_set().decode(words, guarded.state, first.command, first.error);
            again.status = kit.command_set().decode(words, copy.state, again.command, again.error);
            ask(kit, words, fresh);
            if (!kit.expect_ok(first.status, "decode() refuses a sample") || !expect_well_formed(kit, guarded, at) ||
                !kit.expect(is_same(first, again) && (guarded.state.words == copy.state.words) &&
                                (guarded.state.used == copy.state.used),
                            "decode() depends on something else than words and state", at) ||
                // What no command of the trace has set must not be made up.
                !kit.expect(!is_ok(fresh.status) || is_same(first, fresh),
                            "decode() accepts a command without the state that it needs", at)) {
                return;
            }
            if ((first.command.length_words == 0U) || (first.command.length_words > words.size())) {
                return;  // study() has said so
            }
            if (!expect_well_formed_near(kit, before, at, first.command.length_words)) {
                return;
            }
            at += first.command.length_words;
        }
    }
}

}  // namespace pianola::port
