// decode(), its state, patch_kind() and the sizes of queue commands, without the device.
#include "hal/port_kit/conformance.h"

namespace pianola::port {
namespace {

// What decode() has said.
struct Answer {
    Status status{Status::kInternal};
    DecodedCommand command;
    DecodeError error;
};

[[nodiscard]] bool is_same_effect(const DecodedCommand& one, const DecodedCommand& other) noexcept {
    return (one.kind == other.kind) && (one.length_words == other.length_words) && (one.kernel_id == other.kernel_id) &&
           (one.core == other.core) && (one.cost_cycles == other.cost_cycles) &&
           (one.core_cycles == other.core_cycles) && (one.extents.view().size() == other.extents.view().size());
}

[[nodiscard]] bool is_same_shape(const Extent& one, const Extent& other) noexcept {
    return (one.size_bytes == other.size_bytes) && (one.access == other.access) &&
           (one.inner.count == other.inner.count) && (one.inner.stride_bytes == other.inner.stride_bytes) &&
           (one.outer.count == other.outer.count) && (one.outer.stride_bytes == other.outer.stride_bytes);
}

[[nodiscard]] bool is_same(const DecodedCommand& one, const DecodedCommand& other) noexcept {
    bool same = is_same_effect(one, other);
    for (std::uint32_t i = 0U; same && (i < one.extents.view().size()); ++i) {
        const Extent& left = one.extents.view()[i];
        const Extent& right = other.extents.view()[i];
        same = (left.address == right.address) && is_same_shape(left, right);
    }
    return same;
}

[[nodiscard]] bool is_same(const Answer& one, const Answer& other) noexcept {
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

// Answers must not depend on what the caller's objects hold already.
void make_dirty(Answer& answer) noexcept {
    answer.command.kind = CommandKind::kEnd;
    answer.command.length_words = UINT32_MAX;
    answer.command.kernel_id = UINT32_MAX;
    answer.command.core = UINT32_MAX;
    answer.command.cost_cycles = UINT64_MAX;
    answer.command.core_cycles = UINT64_MAX;
    static_cast<void>(answer.command.extents.add(1U, 1U, Access::kWrite, "left over"));
    answer.error = DecodeError{"left over", UINT32_MAX, true, true};
}

void ask(Kit& kit, WordSpan words, Answer& answer) noexcept {
    Decoder decoder{kit.command_set()};
    answer.status = decoder.next(words, answer.command, answer.error);
}

constexpr std::uint32_t kGuardWords = 4U;  // before and after the words that are decoded
constexpr std::uint32_t kMaxWords = kMaxCommandWords + 8U;
constexpr std::uint32_t kStep = 64U;
constexpr std::uint32_t kFar = 4096U;  // no sample reaches as far: what is moved by it overlaps with nothing

// The same words between two kinds of neighbours: what a read outside of the span would find.
struct Guarded {
    std::array<std::uint32_t, kGuardWords + kMaxWords + kGuardWords> words{};
    std::uint32_t count{0U};

    void surround(std::uint32_t guard) noexcept {
        for (std::uint32_t i = 0U; i < words.size(); ++i) {
            if ((i < kGuardWords) || (i >= (kGuardWords + count))) {
                words[i] = guard;
            }
        }
    }
    [[nodiscard]] WordSpan view() const noexcept { return WordSpan{&words[kGuardWords], count}; }
};

bool expect_well_formed(Kit& kit, const Answer& answer, std::uint32_t words) noexcept {
    if (answer.status == Status::kRefused) {
        return kit.expect(answer.error.field != nullptr, "decode() refuses and names no field");
    }
    const DecodedCommand& command = answer.command;
    bool is_well = kit.expect_ok(answer.status, "decode() answers neither kOk nor kRefused") &&
                   kit.expect((command.length_words != 0U) && (command.length_words <= words),
                              "decode() accepts a command that is longer than its words, or of none",
                              command.length_words, words) &&
                   kit.expect((command.kind != CommandKind::kUnspecified) && (command.kind <= CommandKind::kDispatch),
                              "decode() accepts a command of no kind");
    for (const Extent& extent : command.extents.view()) {
        is_well = is_well &&
                  kit.expect((extent.access == Access::kRead) || (extent.access == Access::kWrite),
                             "decode() gives an extent without access") &&
                  kit.expect(extent.field != nullptr, "decode() gives an extent without the name of its field");
    }
    return is_well;
}

// Asks three times, with neighbours that differ and objects that hold something else.
bool expect_judged(Kit& kit, Guarded& guarded) noexcept {
    Answer first;
    Answer again;
    make_dirty(again);
    guarded.surround(0U);
    ask(kit, guarded.view(), first);
    guarded.surround(UINT32_MAX);
    ask(kit, guarded.view(), again);
    if (!expect_well_formed(kit, first, guarded.count) ||
        !kit.expect(is_same(first, again), "decode() depends on words outside of its span, or on what is left over")) {
        return false;
    }
    // Neighbours that are commands.
    for (const std::uint32_t neighbour : list_of(kit.port().end[0], kit.trace().words[0])) {
        guarded.surround(neighbour);
        ask(kit, guarded.view(), again);
        if (!kit.expect(is_same(first, again), "decode() depends on words outside of its span")) {
            return false;
        }
    }
    // Neighbours that go on as a sample does.
    for (std::uint32_t i = kGuardWords + guarded.count; i < guarded.words.size(); ++i) {
        guarded.words[i] = kit.trace().words[i - kGuardWords];
    }
    ask(kit, guarded.view(), again);
    return kit.expect(is_same(first, again), "decode() depends on words after its span");
}

[[nodiscard]] std::uint32_t odd_word(Random& random) noexcept {
    constexpr std::array<std::uint32_t, 8U> kOdd{0U,           1U,           4U,           0x7FFF'FFFFU,
                                                 0x8000'0000U, 0xFFFF'FFFCU, 0xFFFF'FFFFU, 0x0001'0000U};
    const std::uint32_t draw = random.next();
    return ((draw & 1U) != 0U) ? random.next() : kOdd[(draw >> 1U) % kOdd.size()];
}

void decodes_any_words(Kit& kit) noexcept {
    constexpr std::uint32_t kRounds = 2000U;
    constexpr std::uint32_t kBits = 32U;
    Random random{1U};
    Guarded guarded;
    for (std::uint32_t round = 0U; round < kRounds; ++round) {
        if (!kit.sample(round % kMaxSamples, kit.base(), kit.trace()) && !kit.sample(0U, kit.base(), kit.trace())) {
            return;
        }
        const bool is_near = (round % 4U) != 0U;  // to a sample
        guarded.count = is_near ? kit.trace().count : (random.next() % kMaxWords);
        guarded.count = (guarded.count > kMaxWords) ? kMaxWords : guarded.count;
        for (std::uint32_t i = 0U; i < guarded.count; ++i) {
            guarded.words[kGuardWords + i] = is_near ? kit.trace().words[i] : odd_word(random);
        }
        for (std::uint32_t change = random.next() % 4U; is_near && (change != 0U); --change) {
            std::uint32_t& word = guarded.words[kGuardWords + (random.next() % guarded.count)];
            word = ((random.next() & 1U) != 0U) ? odd_word(random) : (word ^ (1U << (random.next() % kBits)));
        }
        if (!expect_judged(kit, guarded)) {
            return;
        }
    }
}

void decode_keeps_to_its_span(Kit& kit) noexcept {
    for_each_command(kit, [&kit](WordSpan words, std::uint32_t at, const DecodedCommand& command) {
        if (at != 0U) {
            return true;  // a command that depends on those before it needs them
        }
        Guarded guarded;
        for (std::uint32_t count = 0U; (count < command.length_words) && (count <= kMaxWords); ++count) {
            guarded.count = count;
            for (std::uint32_t i = 0U; i < count; ++i) {
                guarded.words[kGuardWords + i] = words[i];
            }
            // What follows in memory is the rest of the command.
            for (std::uint32_t i = kGuardWords + count; i < guarded.words.size(); ++i) {
                guarded.words[i] = ((i - kGuardWords) < words.size()) ? words[i - kGuardWords] : 0U;
            }
            Answer answer;
            ask(kit, guarded.view(), answer);
            if (!kit.expect_status(answer.status, Status::kRefused, "decode() accepts a command that is cut off") ||
                !expect_judged(kit, guarded)) {
                return false;
            }
        }
        return true;
    });
}

void decode_has_no_memory(Kit& kit) noexcept {
    constexpr std::uint32_t kTimes = 64U;
    for (std::uint32_t i = 0U; kit.sample(i, kit.base(), kit.trace()); ++i) {
        Answer first;
        ask(kit, kit.trace().view(), first);
        for (std::uint32_t time = 0U; time < kTimes; ++time) {
            // Something else in between, and the words at another place.
            if (!kit.sample(time % kMaxSamples, kit.base() + kStep, kit.other_trace())) {
                static_cast<void>(kit.sample(0U, kit.base(), kit.other_trace()));
            }
            kit.other_trace() = kit.trace();
            Answer again;
            make_dirty(again);
            ask(kit, kit.other_trace().view(), again);
            if (!kit.expect(is_same(first, again), "decode() says something else of the same words", time)) {
                return;
            }
        }
    }
}

// A word that may be patched does what its kind says.
bool expect_patchable(Kit& kit, std::uint32_t at, std::uint32_t word, PatchKind kind,
                      const DecodedCommand& command) noexcept {
    const std::uint32_t old = kit.trace().words[at + word];
    bool is_as_said = true;
    bool is_used = false;  // an operand that the command does without has no extent
    for (const Extent& extent : command.extents.view()) {
        is_used = is_used || (extent.address == old);
    }
    for (const std::uint32_t value : list_of(old + kFar, old + kStep, old ^ 1U, old + 1U, 0U)) {
        kit.other_trace() = kit.trace();
        kit.other_trace().words[at + word] = value;
        Decoder decoder{kit.command_set()};
        Decoder unpatched{kit.command_set()};
        DecodedCommand as_it_was;
        DecodedCommand changed;
        DecodeError error;
        Status status = Status::kOk;
        std::uint32_t position = 0U;
        while (is_ok(status) && (position <= at)) {
            status =
                decoder.walk(kit.other_trace().view().subspan(position, kit.trace().count - position), changed, error);
            static_cast<void>(
                unpatched.walk(kit.trace().view().subspan(position, kit.trace().count - position), as_it_was, error));
            position += (position < at) ? changed.length_words : (at + 1U);
        }
        if (!is_ok(status)) {
            is_as_said = is_as_said && kit.expect(!is_used || (kind != PatchKind::kAddress) || (value != (old + kFar)),
                                                  "decode() refuses an address that is moved by 4096");
            continue;
        }
        is_as_said = is_as_said && kit.expect(is_same_effect(changed, command),
                                              "a word that may be patched changes more than an extent's place", word);
        is_as_said =
            is_as_said && kit.expect((kind != PatchKind::kValue) || (decoder.state().words == unpatched.state().words),
                                     "a patched value changes the state of decode()", word);
        std::uint32_t moved = 0U;
        for (std::uint32_t e = 0U; is_as_said && (e < command.extents.view().size()); ++e) {
            const Extent& was = command.extents.view()[e];
            const Extent& is = changed.extents.view()[e];
            moved += (is.address != was.address) ? 1U : 0U;
            const bool is_right = is_same_shape(is, was) &&
                                  ((is.address == was.address) || ((is.address - was.address) == (value - old)));
            is_as_said = kit.expect(is_right, "a patched address does not move its extent by as much", word);
        }
        is_as_said = is_as_said && kit.expect((kind == PatchKind::kAddress) || (moved == 0U),
                                              "a patched value moves an extent", word);
        is_as_said = is_as_said && kit.expect((kind != PatchKind::kAddress) || (moved != 0U) || (value == old),
                                              "a patched address moves no extent", word);
    }
    return is_as_said;
}

void patch_kinds_are_right(Kit& kit) noexcept {
    std::uint32_t patchable = 0U;
    for_each_command(kit, [&](WordSpan words, std::uint32_t at, const DecodedCommand& command) {
        const WordSpan exact = words.subspan(0U, command.length_words);
        for (std::uint32_t word = 0U; word < command.length_words; ++word) {
            const PatchKind kind = kit.command_set().patch_kind(exact, word);
            if (!kit.expect(kind <= PatchKind::kValue, "patch_kind() gives no kind", word) ||
                !kit.expect(kind == kit.command_set().patch_kind(exact, word), "patch_kind() changes", word)) {
                return false;
            }
            patchable += (kind != PatchKind::kNone) ? 1U : 0U;
            if ((kind != PatchKind::kNone) && !expect_patchable(kit, at, word, kind, command)) {
                return false;
            }
        }
        return true;
    });
    if (patchable == 0U) {
        kit.not_offered("no word of a sample may be patched");
    }
}

void queue_commands_have_sizes(Kit& kit) noexcept {
    const std::array<QueueCommand, 6U> commands{
        transfer(QueueCommandKind::kWrite, kit.base(), kStep, 0U),
        transfer(QueueCommandKind::kRead, kit.base(), kStep, 0U),
        replay_command(kit.trace_base(), kStep),
        event_command(QueueCommandKind::kRecordEvent, 1U, 1U),
        event_command(QueueCommandKind::kWaitEvent, 1U, 1U),
        notify_command(1U),
    };
    for (const QueueCommand& command : commands) {
        QueueCommand sealed = command;
        static_cast<void>(kit.command_set().seal(1U, 1U, 1U, sealed));
        const std::uint32_t words = kit.command_set().queue_words(command);
        static_cast<void>(kit.expect((words != 0U) && (words <= kit.description().ring_words),
                                     "queue_words() is 0, or more than a ring has", words));
        static_cast<void>(kit.expect_equal(kit.command_set().queue_words(sealed), words, "queue_words() changes"));
        static_cast<void>(kit.expect_equal(kit.command_set().queue_cycles(sealed),
                                           kit.command_set().queue_cycles(command), "queue_cycles() changes"));
        static_cast<void>(kit.expect(kit.command_set().queue_cycles(command) <= kMaxScriptCycles,
                                     "queue_cycles() is more than a script may take"));
    }
}

// --- DecodeState: what decode() keeps between the commands of a trace

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

// --- words of one command that may be patched, several of them together

constexpr std::uint32_t kPatchRounds = 64U;  // for each command
constexpr std::uint32_t kLongestRange = 8U;
constexpr std::uint32_t kSign = 0x8000'0000U;
constexpr std::uint32_t kNone = kMaxPatchesPerCommand;

// A word of the command, and the values that it may have: `steps` above the lowest.
struct Range {
    std::uint32_t word{0U};
    std::uint32_t lowest{0U};
    std::uint32_t step{1U};
    std::uint32_t steps{1U};
};

// Some words of the command at word `at` of the trace.
class Choice {
  public:
    Choice(Kit& kit, std::uint32_t at) noexcept : kit_{kit}, at_{at} { owners_.fill(kNone); }

    void choose(WordSpan words, Random& random) noexcept {
        for (std::uint32_t word = 0U; (word < words.size()) && (count_ < ranges_.size()); ++word) {
            const PatchKind kind = kit_.command_set().patch_kind(words, word);
            const std::uint32_t steps = 1U + (random.next() % kLongestRange);
            const bool has_one_sign = ((words[word] ^ (words[word] + steps)) & kSign) == 0U;
            if ((kind != PatchKind::kNone) && has_one_sign && ((random.next() % 3U) != 0U)) {
                ranges_[count_] = {word, words[word], (kind == PatchKind::kAddress) ? kStep : 1U, steps};
                count_ += 1U;
            }
        }
    }
    [[nodiscard]] std::uint32_t count() const noexcept { return count_; }

    // True where every combination of lowest and highest values is accepted, and operands stay apart in between.
    [[nodiscard]] bool is_accepted_at_its_ends() noexcept {
        for (std::uint32_t corner = 0U; corner < (1U << count_); ++corner) {
            for (std::uint32_t i = 0U; i < count_; ++i) {
                steps_[i] = (((corner >> i) & 1U) != 0U) ? ranges_[i].steps : 0U;
            }
            if (!is_ok(decode())) {
                return false;
            }
            if (corner == 0U) {
                lowest_ = now_;
            }
            for (std::uint32_t i = 0U; i < count_; ++i) {
                if (corner == (1U << i)) {
                    find_owned(i);
                }
            }
        }
        return stay_apart();
    }

    // What each word does by itself is what all do together.
    [[nodiscard]] bool expect_in_between(Random& random) noexcept {
        for (std::uint32_t i = 0U; i < count_; ++i) {
            steps_[i] = random.next() % (ranges_[i].steps + 1U);
        }
        if (!kit_.expect_ok(decode(), "decode() refuses words that lie between such as it accepts") ||
            !kit_.expect(is_same_effect(now_, lowest_), "words that are patched together change more than each does")) {
            return false;
        }
        bool is_as_each = true;
        for (std::uint32_t i = 0U; i < lowest_.extents.view().size(); ++i) {
            const Extent& was = lowest_.extents.view()[i];
            const Extent& is = now_.extents.view()[i];
            const std::uint32_t moved = (owners_[i] == kNone) ? 0U : (steps_[owners_[i]] * ranges_[owners_[i]].step);
            is_as_each = is_as_each && is_same_shape(is, was) && ((is.address - was.address) == moved);
        }
        return kit_.expect(is_as_each, "words that are patched together do not move operands as each does");
    }

  private:
    // The command with the words as they are chosen, behind those before it.
    Status decode() noexcept {
        kit_.other_trace() = kit_.trace();
        for (std::uint32_t i = 0U; i < count_; ++i) {
            kit_.other_trace().words[at_ + ranges_[i].word] = ranges_[i].lowest + (steps_[i] * ranges_[i].step);
        }
        Decoder decoder{kit_.command_set()};
        DecodeError error;
        Status status = Status::kOk;
        std::uint32_t position = 0U;
        while (is_ok(status) && (position <= at_)) {
            status =
                decoder.walk(kit_.other_trace().view().subspan(position, kit_.trace().count - position), now_, error);
            position += (position < at_) ? now_.length_words : (at_ + 1U);
        }
        return status;
    }

    void find_owned(std::uint32_t range) noexcept {
        for (std::uint32_t i = 0U; (i < lowest_.extents.view().size()) && (i < now_.extents.view().size()); ++i) {
            if (now_.extents.view()[i].address != lowest_.extents.view()[i].address) {
                owners_[i] = range;
            }
        }
    }

    [[nodiscard]] std::uint64_t reach_of(std::uint32_t extent) const noexcept {
        const std::uint32_t owner = owners_[extent];
        return hull_bytes(lowest_.extents.view()[extent]) +
               ((owner == kNone) ? 0U : (std::uint64_t{ranges_[owner].steps} * ranges_[owner].step));
    }
    [[nodiscard]] bool stay_apart() const noexcept {
        const Span<const Extent> extents = lowest_.extents.view();
        for (std::uint32_t i = 0U; i < extents.size(); ++i) {
            for (std::uint32_t k = 0U; k < i; ++k) {
                const bool moves = (owners_[i] != kNone) || (owners_[k] != kNone);
                if (moves && (extents[i].address < (extents[k].address + reach_of(k))) &&
                    (extents[k].address < (extents[i].address + reach_of(i)))) {
                    return false;
                }
            }
        }
        return true;
    }

    Kit& kit_;
    std::uint32_t at_;
    std::array<Range, kMaxPatchesPerCommand> ranges_{};
    std::array<std::uint32_t, kMaxPatchesPerCommand> steps_{};  // of each word, now
    std::uint32_t count_{0U};
    std::array<std::uint32_t, kMaxExtentsPerCommand> owners_{};  // the word that moves each extent
    DecodedCommand lowest_;
    DecodedCommand now_;
};

void patches_are_separable(Kit& kit) noexcept {
    std::uint32_t looked_at = 0U;
    for_each_command(kit, [&](WordSpan words, std::uint32_t at, const DecodedCommand& command) noexcept {
        Random random{at + 1U};
        for (std::uint32_t round = 0U; round < kPatchRounds; ++round) {
            Choice choice{kit, at};
            choice.choose(words.subspan(0U, command.length_words), random);
            if ((choice.count() < 2U) || !choice.is_accepted_at_its_ends()) {
                continue;
            }
            looked_at += 1U;
            if (!choice.expect_in_between(random)) {
                return false;
            }
        }
        return true;
    });
    if (looked_at == 0U) {
        kit.not_offered("no two words of a sample's command may be patched");
    }
}

// What decode() accepts a launch of, kernel() has; it says the same at every call, and nothing of the id 0.
void kernels_are_decoded(Kit& kit) noexcept {
    std::uint32_t launches = 0U;
    for_each_command(kit, [&](WordSpan /*words*/, std::uint32_t at, const DecodedCommand& command) noexcept {
        if ((command.kind != CommandKind::kLaunch) && (command.kind != CommandKind::kDispatch)) {
            return true;
        }
        launches += 1U;
        const KernelIdentity kernel = kit.command_set().kernel(command.kernel_id);
        const KernelIdentity again = kit.command_set().kernel(command.kernel_id);
        return kit.expect(kernel.version != 0U, "decode() accepts a launch of a kernel that kernel() does not have",
                          command.kernel_id, at) &&
               kit.expect((kernel.version == again.version) && (kernel.argument_words == again.argument_words) &&
                              (kernel.cost_version == again.cost_version),
                          "kernel() says something else of the same id", command.kernel_id);
    });
    static_cast<void>(kit.expect_equal(kit.command_set().kernel(0U).version, 0U, "kernel() has a kernel of the id 0"));
    if (launches == 0U) {
        kit.not_offered("no sample launches a kernel");
    }
}

constexpr std::array<Check, 8U> kChecks{{
    {"PORT-DECODE-TOTAL", "decode() judges any words, and what it accepts is well formed", nullptr, decodes_any_words},
    {"PORT-DECODE-SPAN", "decode() refuses a command that is cut off, and reads no word outside of its span", nullptr,
     decode_keeps_to_its_span},
    {"PORT-DECODE-PURE", "decode() says the same of the same words, whatever came before", nullptr,
     decode_has_no_memory},
    {"PORT-DECODE-STATE", "decode() depends on words and state alone, and needs no state that no command has set",
     nullptr, decode_keeps_to_its_state},
    {"PORT-DECODE-PATCH", "a word that may be patched changes what its kind says, and nothing else",
     "binaries for this port declare no parameters", patch_kinds_are_right},
    {"PORT-DECODE-TOGETHER", "words of one command that are patched together do what each of them does",
     "a command of this port has one parameter at most", patches_are_separable},
    {"PORT-KERNELS", "kernel() has what decode() accepts launches of, and says the same at every call",
     "binaries for this port launch no kernels", kernels_are_decoded},
    {"PORT-QUEUE-SIZES", "sizes and cycles of queue commands are constant, and fit", nullptr,
     queue_commands_have_sizes},
}};

}  // namespace

Span<const Check> decode_checks() noexcept {
    return kChecks;
}

}  // namespace pianola::port
