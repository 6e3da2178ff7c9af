// Checks and digests: what shows that a device has executed what was enqueued.
#include "hal/port_kit/conformance.h"

namespace pianola::port {
namespace {

constexpr std::uint32_t kBits = 32U;
constexpr std::uint32_t kWideBits = 64U;
constexpr std::uint64_t kDigest = 0x0123'4567'89AB'CDEFU;
constexpr std::uint64_t kTraceDigest = 0x0F1E'2D3C'4B5A'6978U;
constexpr std::uint32_t kNumber = 5U;

// A field of queue commands, in so many bits, and the kinds that have it.
struct Field {
    const char* ignored;  // by the check or the digest
    std::uint32_t QueueCommand::* field;
    std::uint32_t bits;
    bool in_transfers;
    bool in_replays;
    bool in_events;
    bool in_notifications;
};
// Slots and events are tried up to the highest bit that all of them have.
constexpr std::array<Field, 6U> kFields{{
    {"the address of a command is ignored", &QueueCommand::address, kBits, true, true, false, false},
    {"the size of a command is ignored", &QueueCommand::size_bytes, kBits, true, true, false, false},
    {"the slot of a transfer is ignored", &QueueCommand::slot, 4U, true, false, false, false},
    {"the slot's offset of a transfer is ignored", &QueueCommand::slot_offset, kBits, true, false, false, false},
    {"the event of a command is ignored", &QueueCommand::event, 3U, false, false, true, false},
    {"the value of a command is ignored", &QueueCommand::value, kBits, false, false, true, true},
}};
constexpr std::array<QueueCommandKind, 6U> kKinds{QueueCommandKind::kWrite,     QueueCommandKind::kRead,
                                                  QueueCommandKind::kReplay,    QueueCommandKind::kRecordEvent,
                                                  QueueCommandKind::kWaitEvent, QueueCommandKind::kNotify};

[[nodiscard]] bool has(const Field& field, QueueCommandKind kind) noexcept {
    return is_transfer(kind)                     ? field.in_transfers
           : (kind == QueueCommandKind::kReplay) ? field.in_replays
           : (kind == QueueCommandKind::kNotify) ? field.in_notifications
                                                 : field.in_events;
}

[[nodiscard]] QueueCommand plain(Kit& kit, QueueCommandKind kind) noexcept {
    QueueCommand command;
    command.kind = kind;
    command.address = kit.base();
    command.size_bytes = 64U;
    command.value = 3U;
    return command;
}

struct Sealed {
    std::uint64_t digest{0U};
    std::uint32_t check{0U};
};

[[nodiscard]] Sealed seal(Kit& kit, QueueCommand command, std::uint64_t digest = kDigest,
                          std::uint32_t number = kNumber, std::uint64_t trace_digest = kTraceDigest) noexcept {
    Sealed sealed;
    sealed.digest = kit.command_set().seal(digest, number, trace_digest, command);
    sealed.check = command.check;
    return sealed;
}

// Calls `look` with every command that differs from a plain one in one bit of one field that its kind has.
template <typename Look>
void for_each_change(Kit& kit, const Look& look) noexcept {
    for (const QueueCommandKind kind : kKinds) {
        for (const Field& field : kFields) {
            for (std::uint32_t bit = 0U; has(field, kind) && (bit < field.bits); ++bit) {
                const QueueCommand command = plain(kit, kind);
                QueueCommand changed = command;
                changed.*(field.field) ^= 1U << bit;
                look(command, changed, field.ignored);
            }
        }
    }
}

void seal_has_no_memory(Kit& kit) noexcept {
    for (const QueueCommandKind kind : kKinds) {
        QueueCommand command = plain(kit, kind);
        const QueueCommand before = command;
        const Sealed first = seal(kit, command);
        command.check = ~first.check;
        static_cast<void>(kit.command_set().seal(1U, 1U, 1U, command));
        command.check = ~first.check;
        const Sealed again = seal(kit, command);
        static_cast<void>(kit.expect_equal(again.check, first.check, "seal() gives another check"));
        static_cast<void>(kit.expect_equal(again.digest, first.digest, "seal() gives another digest"));
        static_cast<void>(kit.expect((command.kind == before.kind) && (command.address == before.address) &&
                                         (command.size_bytes == before.size_bytes) && (command.slot == before.slot) &&
                                         (command.slot_offset == before.slot_offset) &&
                                         (command.event == before.event) && (command.value == before.value),
                                     "seal() changes more than the check"));
    }
}

void check_is_of_every_word(Kit& kit) noexcept {
    constexpr std::uint32_t kNumbers = 512U;
    for_each_change(kit, [&kit](const QueueCommand& command, const QueueCommand& changed, const char* ignored) {
        static_cast<void>(kit.expect(seal(kit, command).check != seal(kit, changed).check, ignored));
    });
    for (const QueueCommandKind kind : kKinds) {
        const QueueCommand command = plain(kit, kind);
        const std::uint32_t check = seal(kit, command).check;
        for (std::uint32_t later = 1U; later <= kNumbers; ++later) {
            static_cast<void>(kit.expect(seal(kit, command, kDigest, kNumber + later).check != check,
                                         "the number of a command is ignored", later));
        }
        for (const QueueCommandKind other : kKinds) {
            static_cast<void>(kit.expect((other == kind) || (seal(kit, plain(kit, other)).check != check),
                                         "the kind of a command is ignored"));
        }
    }
}

void digest_is_of_every_word(Kit& kit) noexcept {
    if (!kit.offers_digest()) {
        return;
    }
    for_each_change(kit, [&kit](const QueueCommand& command, const QueueCommand& changed, const char* ignored) {
        static_cast<void>(kit.expect(seal(kit, command).digest != seal(kit, changed).digest, ignored));
    });
    for (const QueueCommandKind kind : kKinds) {
        const QueueCommand command = plain(kit, kind);
        const std::uint64_t digest = seal(kit, command).digest;
        static_cast<void>(kit.expect(digest != kDigest, "a command leaves the digest as it was"));
        for (std::uint32_t bit = 0U; bit < kWideBits; ++bit) {
            const std::uint64_t flip = std::uint64_t{1U} << bit;
            static_cast<void>(kit.expect(seal(kit, command, kDigest ^ flip).digest != digest,
                                         "the digest before a command is ignored", bit));
            static_cast<void>(
                kit.expect((kind != QueueCommandKind::kReplay) ||
                               (seal(kit, command, kDigest, kNumber, kTraceDigest ^ flip).digest != digest),
                           "the trace of a replay is ignored", bit));
        }
        for (const QueueCommandKind other : kKinds) {
            static_cast<void>(kit.expect((other == kind) || (seal(kit, plain(kit, other)).digest != digest),
                                         "the kind of a command is ignored"));
        }
    }
}

[[nodiscard]] std::uint64_t digest_of(Kit& kit, const Trace& trace, std::uint32_t left_out) noexcept {
    Decoder decoder{kit.command_set()};
    std::uint64_t digest = 0U;
    std::uint32_t number = 0U;
    for (std::uint32_t at = 0U; at < trace.count; ++number) {
        DecodedCommand command;
        DecodeError error;
        if (!is_ok(decoder.walk(trace.view().subspan(at, trace.count - at), command, error))) {
            return digest;
        }
        const WordSpan words = trace.view().subspan(at, command.length_words);
        digest = (number == left_out) ? digest : kit.command_set().trace_digest(digest, words);
        at += command.length_words;
    }
    return digest;
}

void trace_digest_is_of_every_command(Kit& kit) noexcept {
    if (!kit.offers_digest()) {
        return;
    }
    for (std::uint32_t i = 0U; kit.sample(i, kit.base(), kit.trace()); ++i) {
        const Trace& trace = kit.trace();
        static_cast<void>(kit.expect_equal(digest_of(kit, trace, UINT32_MAX), trace.digest, "trace_digest() changes"));
        for (std::uint32_t command = 0U; command < trace.commands; ++command) {
            static_cast<void>(kit.expect(digest_of(kit, trace, command) != trace.digest,
                                         "a command of a trace leaves its digest as it was", i, command));
        }
        // The digest before the command matters in every bit.
        const WordSpan end = kit.port().end;
        const std::uint64_t ended = kit.command_set().trace_digest(kDigest, end);
        for (std::uint32_t bit = 0U; bit < kWideBits; ++bit) {
            static_cast<void>(
                kit.expect(kit.command_set().trace_digest(kDigest ^ (std::uint64_t{1U} << bit), end) != ended,
                           "the digest before a command of a trace is ignored", bit));
        }
        for (std::uint32_t j = 0U; j < i; ++j) {
            const std::uint32_t header = trace.words[0];
            static_cast<void>(
                kit.sample(j, kit.base(), kit.other_trace()) &&
                kit.expect((kit.other_trace().words[0] == header) || (kit.other_trace().digest != trace.digest),
                           "the first word of a command is ignored", i, j));
        }
    }
}

// `look` is called with the digest of a sample's trace where one word is another, and whether it may be patched.
template <typename Look>
void for_each_word(Kit& kit, const Look& look) noexcept {
    for (std::uint32_t i = 0U; kit.sample(i, kit.base(), kit.trace()); ++i) {
        const Trace& trace = kit.trace();
        Decoder decoder{kit.command_set()};
        std::uint64_t digest = 0U;
        for (std::uint32_t at = 0U; at < trace.count;) {
            DecodedCommand command;
            DecodeError error;
            if (!is_ok(decoder.walk(trace.view().subspan(at, trace.count - at), command, error))) {
                return;
            }
            const WordSpan words = trace.view().subspan(at, command.length_words);
            const std::uint64_t after = kit.command_set().trace_digest(digest, words);
            // The first word says what the command is: another one makes it another command.
            for (std::uint32_t word = 1U; word < command.length_words; ++word) {
                kit.other_trace() = trace;
                kit.other_trace().words[at + word] ^= 1U << (word % kBits);
                const WordSpan changed = kit.other_trace().view().subspan(at, command.length_words);
                look(kit.command_set().patch_kind(words, word),
                     kit.command_set().trace_digest(digest, changed) != after, word);
            }
            digest = after;
            at += command.length_words;
        }
    }
}

void patches_leave_the_digest(Kit& kit) noexcept {
    if (!kit.offers_digest()) {
        return;
    }
    std::uint32_t patchable = 0U;
    for_each_word(kit, [&](PatchKind kind, bool is_seen, std::uint32_t word) {
        patchable += (kind != PatchKind::kNone) ? 1U : 0U;
        static_cast<void>(kit.expect((kind == PatchKind::kNone) || !is_seen,
                                     "trace_digest() depends on a word that may be patched", word));
    });
    if (patchable == 0U) {
        kit.not_offered("no word of a sample may be patched");
    }
}

void digest_is_of_every_trace_word(Kit& kit) noexcept {
    if (!kit.offers_digest()) {
        return;
    }
    for_each_word(kit, [&](PatchKind kind, bool is_seen, std::uint32_t word) {
        static_cast<void>(kit.expect((kind != PatchKind::kNone) || is_seen,
                                     "trace_digest() leaves out a word that may not be patched", word));
    });
}

void device_has_the_digest(Kit& kit) noexcept {
    if (!kit.offers_digest()) {
        return;
    }
    constexpr std::uint32_t kTimes = 3U;
    for (std::uint32_t i = 0U; kit.sample(i, kit.base(), kit.trace()); ++i) {
        if (!kit.start() || !kit.place(kit.trace())) {
            return;
        }
        for (std::uint32_t time = 0U; time < kTimes; ++time) {
            Completion completion;
            // Every field is another number than 0.
            static_cast<void>(kit.device().bind_source(3U, kit.source()));
            static_cast<void>(kit.device().bind_destination(2U, kit.destination()));
            static_cast<void>(kit.expect_ok(kit.enqueue_replay(0U, kit.trace()), "enqueue() refuses a replay"));
            static_cast<void>(kit.enqueue(0U, transfer(QueueCommandKind::kWrite, kit.base(), 64U, 3U, 8U)));
            static_cast<void>(kit.enqueue(0U, transfer(QueueCommandKind::kRead, kit.base(), 64U, 2U, 16U)));
            static_cast<void>(kit.enqueue(0U, event_command(QueueCommandKind::kRecordEvent, 5U, time + 1U)));
            static_cast<void>(kit.enqueue(0U, event_command(QueueCommandKind::kWaitEvent, 5U, time + 1U)));
            if (!kit.expect_ok(kit.complete(0U, completion), "a replay does not complete") ||
                !kit.expect_equal(completion.digest, kit.digest(0U), "the device's digest is not the command set's")) {
                return;
            }
        }
    }
}

// Another trace of the same length, written over the one that was replayed first: the digest is of what was executed.
void digest_is_of_what_was_executed(Kit& kit) noexcept {
    if (!kit.offers_digest() || !kit.sample(0U, kit.base(), kit.trace()) || !kit.start() ||
        !kit.repeat(kit.trace(), kTraceWords / 4U) || !kit.place(kit.trace())) {
        return;
    }
    Completion completion;
    static_cast<void>(kit.expect_ok(kit.enqueue_replay(0U, kit.trace()), "enqueue() refuses a replay"));
    if (!kit.expect_ok(kit.complete(0U, completion), "a replay does not complete")) {
        return;
    }
    // One command less, and the same number of bytes in the trace region; then a notification alone.
    kit.other_trace() = kit.trace();
    const std::uint32_t shorter = kit.trace().count - kit.trace().body_words;
    if (!kit.repeat(kit.other_trace(), shorter) || !kit.place(kit.other_trace())) {
        return;
    }
    static_cast<void>(kit.expect_ok(kit.enqueue_replay(0U, kit.other_trace()), "enqueue() refuses a replay"));
    static_cast<void>(
        kit.expect_ok(kit.complete(0U, completion), "a replay does not complete") &&
        kit.expect_equal(completion.digest, kit.digest(0U), "the digest is not of the trace that lies in memory"));
}

// A command that was changed after it was sealed, in one word.
[[nodiscard]] QueueCommand damaged(Kit& kit, std::uint32_t change) noexcept {
    constexpr std::uint32_t kBytes = 64U;
    QueueCommand command = transfer(QueueCommandKind::kWrite, kit.base() + kBytes, kBytes, 0U);
    if ((change == 6U) || (change == 7U)) {
        command = event_command(QueueCommandKind::kRecordEvent, 1U, 1U);
    } else if (change == 8U) {
        command = notify_command(kit.token() + 1U);
    } else if ((change == 9U) || (change == 10U)) {
        command = replay_command(kit.trace_base(), kit.trace().size_bytes());
    } else {
        // The write.
    }
    const std::uint32_t number = kit.executed(0U) + ((change == 1U) ? 1U : 0U);
    static_cast<void>(kit.command_set().seal(kit.digest(0U), number, 0U, command));
    command.check ^= (change == 0U) ? (1U << 3U) : 0U;
    command.address += ((change == 2U) || (change == 9U)) ? kBytes : 0U;
    command.size_bytes += ((change == 3U) || (change == 10U)) ? kBytes : 0U;
    command.slot += (change == 4U) ? 1U : 0U;
    command.slot_offset += (change == 5U) ? kBytes : 0U;
    command.event += (change == 6U) ? 1U : 0U;
    command.value += ((change == 7U) || (change == 8U)) ? 1U : 0U;
    command.kind = (change == 11U) ? QueueCommandKind::kRead : command.kind;
    return command;
}

void wrong_checks_are_refused(Kit& kit) noexcept {
    constexpr std::uint32_t kChanges = 12U;
    const Fill fill{1U};
    for (std::uint32_t change = 0U; change < kChanges; ++change) {
        if (!kit.sample(0U, kit.base(), kit.trace()) || !kit.start() ||
            !kit.fill_range({kit.base(), kSampleBytes}, fill)) {
            return;
        }
        kit.fill_source(2U);
        static_cast<void>(kit.device().bind_source(0U, kit.source()));
        static_cast<void>(kit.device().bind_source(1U, kit.source()));
        static_cast<void>(kit.device().bind_destination(0U, kit.destination()));
        static_cast<void>(kit.expect_ok(kit.device().enqueue(0U, damaged(kit, change)), "enqueue() refuses a command"));
        Completion completion;
        static_cast<void>(
            kit.expect_status(kit.complete(0U, completion), Status::kDeviceFault,
                              "a command is executed although its check does not fit") &&
            kit.expect_fault_command(completion, kit.executed(0U) - 1U,
                                     "a command is executed, or counted, although its check does not fit") &&
            kit.expect_range({kit.base(), kSampleBytes}, fill,
                             "a command has written although its check does not fit"));
    }
}

constexpr std::array<Check, 9U> kChecks{{
    {"PORT-SEAL-PURE", "seal() says the same of the same command, and changes its check alone", nullptr,
     seal_has_no_memory},
    {"PORT-SEAL-WORDS", "a command's check depends on every word of it, and on its number",
     "the rings lie in memory that corrects itself, and no doorbell is lost", check_is_of_every_word},
    {"PORT-DIGEST-WORDS", "a queue's digest depends on every word of every command",
     "nothing but the number of commands shows what was executed", digest_is_of_every_word},
    {"PORT-DIGEST-TRACE", "a trace's digest depends on every command of it",
     "nothing but the number of commands shows what was executed", trace_digest_is_of_every_command},
    {"PORT-DIGEST-PATCH", "a trace's digest does not depend on words that may be patched",
     "binaries for this port declare no parameters", patches_leave_the_digest},
    {"PORT-DIGEST-ARGUMENTS", "a trace's digest depends on every word that may not be patched",
     "arguments of commands are compared in memory: results are released once verified, or memory corrects itself",
     digest_is_of_every_trace_word},
    {"PORT-DIGEST-DEVICE", "the device's digest is that which the command set foretells",
     "nothing but the number of commands shows what was executed", device_has_the_digest},
    {"PORT-DIGEST-EXECUTED", "the device's digest is of the words that lie in the trace region",
     "nothing shows that the device fetches what the session compares", digest_is_of_what_was_executed},
    {"PORT-CHECK-VERIFIED", "a command whose check does not fit is a fault and does nothing",
     "the rings lie in memory that corrects itself, and no doorbell is lost", wrong_checks_are_refused},
}};

}  // namespace

Span<const Check> digest_checks() noexcept {
    return kChecks;
}

}  // namespace pianola::port
