// What decode() has said of some words, and whether it says the same again.
//
// Part of the kit: checks of decode().
#pragma once

#include "hal/port_kit/kit.h"

namespace pianola::port {

// What decode() has said.
struct Answer {
    Status status{Status::kInternal};
    DecodedCommand command;
    DecodeError error;
};

[[nodiscard]] inline bool is_same_effect(const DecodedCommand& one, const DecodedCommand& other) noexcept {
    return (one.kind == other.kind) && (one.length_words == other.length_words) && (one.kernel_id == other.kernel_id) &&
           (one.core == other.core) && (one.cost_cycles == other.cost_cycles) &&
           (one.core_cycles == other.core_cycles) && (one.extents.view().size() == other.extents.view().size());
}

[[nodiscard]] inline bool is_same_shape(const Extent& one, const Extent& other) noexcept {
    return (one.size_bytes == other.size_bytes) && (one.access == other.access) &&
           (one.inner.count == other.inner.count) && (one.inner.stride_bytes == other.inner.stride_bytes) &&
           (one.outer.count == other.outer.count) && (one.outer.stride_bytes == other.outer.stride_bytes);
}

[[nodiscard]] inline bool is_same(const DecodedCommand& one, const DecodedCommand& other) noexcept {
    bool same = is_same_effect(one, other);
    for (std::uint32_t i = 0U; same && (i < one.extents.view().size()); ++i) {
        const Extent& left = one.extents.view()[i];
        const Extent& right = other.extents.view()[i];
        same = (left.address == right.address) && is_same_shape(left, right);
    }
    return same;
}

[[nodiscard]] inline bool is_same(const Answer& one, const Answer& other) noexcept {
    if (one.status != other.status) {
        return false;
    }
    return is_ok(one.status)
               ? is_same(one.command, other.command)
               : ((one.error.word == other.error.word) && (one.error.unknown_command == other.error.unknown_command) &&
                  (one.error.unknown_kernel == other.error.unknown_kernel));
}

// Calls `look` with every command of every sample, the words up to the trace's end, and what decode() has said.
template <typename Look>
void for_each_command(Kit& kit, const Look& look) noexcept {
    for (std::uint32_t i = 0U; kit.sample(i, kit.base(), kit.trace()); ++i) {
        Decoder decoder{kit.command_set()};
        std::uint32_t at = 0U;
        while (at < kit.trace().count) {
            const WordSpan words = kit.trace().view().subspan(at, kit.trace().count - at);
            DecodedCommand command;
            DecodeError error;
            if (!is_ok(decoder.walk(words, command, error)) || !look(words, at, command)) {
                return;
            }
            at += command.length_words;
        }
    }
}

// decode_together.cpp
void patches_are_separable(Kit& kit) noexcept;

// Answers must not depend on what the caller's objects hold already.
inline void make_dirty(Answer& answer) noexcept {
    answer.command.kind = CommandKind::kEnd;
    answer.command.length_words = UINT32_MAX;
    answer.command.kernel_id = UINT32_MAX;
    answer.command.core = UINT32_MAX;
    answer.command.cost_cycles = UINT64_MAX;
    answer.command.core_cycles = UINT64_MAX;
    static_cast<void>(answer.command.extents.add(1U, 1U, Access::kWrite, "left over"));
    answer.error = DecodeError{"left over", UINT32_MAX, true, true};
}

inline void ask(Kit& kit, WordSpan words, Answer& answer) noexcept {
    Decoder decoder{kit.command_set()};
    answer.status = decoder.next(words, answer.command, answer.error);
}

void decode_keeps_to_its_state(Kit& kit) noexcept;  // decode_state.cpp

}  // namespace pianola::port
