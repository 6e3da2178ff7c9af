// The engine that computes digests in place of the loading core, where a port has one: DigestEngine.
#include "hal/port_kit/conformance.h"
#include "pianola/sha256.h"

namespace pianola::port {
namespace {

constexpr std::uint32_t kBlockBytes = 64U;

[[nodiscard]] DigestEngine* engine_of(Kit& kit) noexcept {
    if (kit.port().digest_engine == nullptr) {
        kit.not_offered("there is no engine");
    }
    return kit.port().digest_engine;
}

[[nodiscard]] ByteSpan message_of(Kit& kit, std::uint32_t seed, std::uint32_t bytes) noexcept {
    kit.fill_source(seed);
    return ByteSpan{kit.source().data(), bytes};
}

bool expect_taken(Kit& kit, Status status) noexcept {
    return kit.expect_ok(status, "the engine does not take a message");
}

// What the engine answers now is the digest that is wanted, in every byte of it.
bool expect_digest(Kit& kit, DigestEngine& engine, const Sha256Digest& wanted, const char* what) noexcept {
    Sha256Digest digest;
    digest.fill(static_cast<std::uint8_t>(~wanted[0U]));
    return kit.expect_ok(engine.finish(digest), "finish() is not kOk") &&
           kit.expect(digests_equal(ByteSpan{digest}, ByteSpan{wanted}), what);
}

bool expect_whole(Kit& kit, DigestEngine& engine, ByteSpan message, const char* what) noexcept {
    return expect_taken(kit, engine.begin()) && expect_taken(kit, engine.update(message)) &&
           expect_digest(kit, engine, sha256(message), what);
}

// Lengths on both sides of one block, two and three, where padding takes another form.
void digests_are_sha256(Kit& kit) noexcept {
    DigestEngine* const engine = engine_of(kit);
    for (std::uint32_t bytes = 0U; (engine != nullptr) && (bytes <= (3U * kBlockBytes) + 1U); ++bytes) {
        if (!expect_whole(kit, *engine, message_of(kit, bytes, bytes), "another digest than SHA-256's")) {
            return;
        }
    }
}

// A message in pieces of one size, the first of them at an odd address, some empty. Each piece is written over as soon
// as the engine has it.
bool expect_pieces(Kit& kit, DigestEngine& engine, std::uint32_t piece_bytes) noexcept {
    constexpr std::uint32_t kMessageBytes = 301U;
    const ByteSpan message = message_of(kit, piece_bytes, kMessageBytes + 1U).subspan(1U, kMessageBytes);
    const Sha256Digest wanted = sha256(message);
    bool is_taken = expect_taken(kit, engine.begin());
    for (std::uint32_t done = 0U; is_taken && (done < kMessageBytes); done += piece_bytes) {
        const std::uint32_t left = kMessageBytes - done;
        const MutableByteSpan piece = kit.source().subspan(1U + done, (left < piece_bytes) ? left : piece_bytes);
        is_taken = expect_taken(kit, engine.update(piece)) && expect_taken(kit, engine.update(ByteSpan{}));
        for (std::uint8_t& byte : piece) {
            byte = static_cast<std::uint8_t>(~byte);
        }
    }
    return is_taken && expect_digest(kit, engine, wanted, "another digest where a message comes in pieces");
}

void pieces_make_no_difference(Kit& kit) noexcept {
    DigestEngine* const engine = engine_of(kit);
    for (std::uint32_t bytes = 1U; (engine != nullptr) && (bytes <= kBlockBytes + 1U); ++bytes) {
        if (!expect_pieces(kit, *engine, bytes)) {
            return;
        }
    }
}

// Of a message that was given up, of one that was completed, and of one that was asked for twice.
void begin_forgets(Kit& kit) noexcept {
    constexpr std::uint32_t kBytes = 100U;
    constexpr const char* kWhat = "a digest that depends on an earlier message";
    DigestEngine* const engine = engine_of(kit);
    if (engine == nullptr) {
        return;
    }
    for (const std::uint32_t before : list_of(0U, 1U, kBlockBytes, kBytes)) {
        const bool is_taken =
            expect_taken(kit, engine->begin()) && expect_taken(kit, engine->update(message_of(kit, 0U, before)));
        if (!is_taken || !expect_whole(kit, *engine, message_of(kit, 1U, kBytes), kWhat) ||
            !expect_whole(kit, *engine, message_of(kit, 2U, kBytes), kWhat) ||
            !expect_whole(kit, *engine, message_of(kit, 2U, kBytes), kWhat)) {
            return;
        }
    }
}

// Longer than counts of 16 bits, of bytes.
void messages_may_be_long(Kit& kit) noexcept {
    constexpr std::uint32_t kPieces = 17U;
    DigestEngine* const engine = engine_of(kit);
    if (engine == nullptr) {
        return;
    }
    const ByteSpan piece = message_of(kit, 0U, kBufferBytes);
    Sha256 hash;
    bool is_taken = expect_taken(kit, engine->begin());
    for (std::uint32_t i = 0U; is_taken && (i < kPieces); ++i) {
        hash.update(piece);
        is_taken = expect_taken(kit, engine->update(piece));
    }
    static_cast<void>(is_taken && expect_digest(kit, *engine, hash.finish(), "another digest of a long message"));
}

constexpr const char* kNoEngine = "the loading core computes digests, or tests of the engine show what it does";

constexpr std::array<Check, 4U> kChecks{{
    {"PORT-ENGINE-DIGEST", "the engine's digests are those of SHA-256", kNoEngine, digests_are_sha256},
    {"PORT-ENGINE-PIECES", "the engine takes pieces of any size and alignment, and reads none of them later", kNoEngine,
     pieces_make_no_difference},
    {"PORT-ENGINE-BEGIN", "the engine keeps nothing of an earlier message", kNoEngine, begin_forgets},
    {"PORT-ENGINE-LONG", "the engine takes long messages", kNoEngine, messages_may_be_long},
}};

}  // namespace

Span<const Check> engine_checks() noexcept {
    return kChecks;
}

}  // namespace pianola::port
