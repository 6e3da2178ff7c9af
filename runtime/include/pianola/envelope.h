// Envelope: the fixed header of a trace binary, and the proof that the file is intact.
//
// The first two stages of loading. parse_envelope() decodes the header field by field and proves that its parts tile
// the file without gap or overlap; authenticate() then checks the digest over every byte, and the signature. Nothing
// after the header is interpreted before that. docs/reference/format.md specifies the bytes.
#pragma once

#include <array>
#include <cstdint>

#include "pianola/sha256.h"
#include "pianola/span.h"
#include "pianola/trust.h"
#include "pianola/verdict.h"

namespace pianola {

// Byte offsets in the header. All integers are 32-bit little-endian.
namespace header {
inline constexpr std::uint32_t kMagic = 0U;  // 8 bytes
inline constexpr std::uint32_t kEnvelopeVersion = 8U;
inline constexpr std::uint32_t kHeaderBytes = 12U;
inline constexpr std::uint32_t kTotalBytes = 16U;
inline constexpr std::uint32_t kSecurityVersion = 20U;
inline constexpr std::uint32_t kDigestAlgorithm = 24U;
inline constexpr std::uint32_t kSignatureAlgorithm = 28U;
inline constexpr std::uint32_t kSignatureBytes = 32U;
inline constexpr std::uint32_t kKeyId = 36U;     // 8 bytes; zero if there is no signature
inline constexpr std::uint32_t kReserved = 44U;  // 4 bytes, zero
inline constexpr std::uint32_t kSchemaHash = 48U;
inline constexpr std::uint32_t kSegmentTable = 80U;  // 5 entries of {kind, offset, size}, in this order
inline constexpr std::uint32_t kSegmentEntryBytes = 12U;
inline constexpr std::uint32_t kSegmentOffset = 4U;         // inside an entry
inline constexpr std::uint32_t kSegmentSize = 8U;           // inside an entry
inline constexpr std::uint32_t kReservedAfterTable = 140U;  // 20 bytes, zero
inline constexpr std::uint32_t kDigest = 160U;  // the digest covers every byte except its own and the signature's
inline constexpr std::uint32_t kBytes = 192U;
}  // namespace header

// The high bit catches 7-bit transfers, the line ends catch text-mode ones.
// NOLINTNEXTLINE(pianola-misra-7.0.3): DEV-061
inline constexpr std::array<std::uint8_t, 8> kMagicBytes{0x89U, 'P', 'T', 'B', 0x0DU, 0x0AU, 0x1AU, 0x0AU};
inline constexpr std::uint32_t kEnvelopeVersion = 1U;
inline constexpr std::uint32_t kDigestSha256 = 1U;
inline constexpr std::uint32_t kSignatureNone = 1U;
inline constexpr std::uint32_t kSignatureEcdsaP256 = 2U;  // over the digest; the last kSignatureBytes of the file

// A kind is its index in the table plus one. Every file has all five; all except the manifest may be empty.
enum class SegmentKind : std::uint32_t {
    kUnspecified = 0U,
    kManifest = 1U,
    kWeights = 2U,
    kTraces = 3U,
    kSelfTests = 4U,
    kChecks = 5U,
};
inline constexpr std::uint32_t kSegmentCount = 5U;

struct Segment {
    std::uint32_t offset{0U};      // from the start of the file; a multiple of 64
    std::uint32_t size_bytes{0U};  // without the padding to the next segment
};

struct Envelope {
    std::uint32_t total_bytes{0U};
    std::uint32_t security_version{0U};
    std::uint32_t signature_bytes{0U};  // at the end of the file; 0 if it is not signed
    KeyId key_id{};                     // of the key that has signed it
    Sha256Digest digest{};              // that the file carries; authenticate() compares it with the file's bytes
    Segment manifest;
    Segment weights;
    Segment traces;
    Segment self_tests;
    Segment checks;
};

// What authenticate() has computed of a file, for a second validation of the same file.
struct Authentication {
    bool is_computed{false};
    Sha256Digest digest{};  // of the file's bytes
    std::uint64_t sum{0U};  // SliceSum of the bytes outside of weights and traces, whose slices have checks
};

// kOk, or kRefused with a verdict. `envelope` is valid only after kOk. Bounded: reads the header and at most 5 * 63
// bytes of padding.
Status parse_envelope(ByteSpan file, Envelope& envelope, Verdict& verdict) noexcept;

// Proves that the file is intact, and that `trust` accepts its signer. kOk, or kRefused with a verdict. Needs the
// envelope of the same file. Time: linear in the size of the file, plus one signature verification.
Status authenticate(ByteSpan file, const Envelope& envelope, const Trust& trust, Verdict& verdict) noexcept;
// The same; a file of which `authentication` is computed is not hashed again. The sum then finds what has changed since
// outside of weights and traces; digest and signature are checked again. kOk says nothing of weights and traces that
// have changed since: the proof of the file's checks finds them, which validate() makes.
Status authenticate(ByteSpan file, const Envelope& envelope, const Trust& trust, Authentication& authentication,
                    Verdict& verdict) noexcept;

// SliceSum of the file's bytes outside of weights and traces.
[[nodiscard]] std::uint64_t sum_outside_slices(ByteSpan file, const Envelope& envelope) noexcept;

// The digest that a file must carry. `unsigned_part` is the file without its signature.
[[nodiscard]] Sha256Digest envelope_digest(ByteSpan unsigned_part) noexcept;

}  // namespace pianola
