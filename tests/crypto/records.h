// Records of what a verifier is asked, in a file: the same for the host's program and for boards.
//
// signatures.py writes the records, each a digest, a signature and a key, and reads the answers: a word for each, the
// Status, in the byte order of the machine that answered, which is little-endian everywhere.
#pragma once

#include <cstdint>
#include <cstring>

#include "pianola/signature.h"
#include "pianola/span.h"

namespace pianola::test {

struct SignatureRecord {
    Sha256Digest digest;
    Signature signature;
    PublicKey key;
};
static_assert(sizeof(SignatureRecord) == kSha256Bytes + kSignatureBytes + kPublicKeyBytes, "no padding");

inline constexpr std::size_t kAnswerBytes = sizeof(Status);

[[nodiscard]] inline std::size_t record_count(ByteSpan records) noexcept {
    return records.size() / sizeof(SignatureRecord);
}

[[nodiscard]] inline SignatureRecord record_at(ByteSpan records, std::size_t index) noexcept {
    SignatureRecord record{};
    std::memcpy(&record, &records[index * sizeof(record)], sizeof(record));
    return record;
}

inline void put_answer(MutableByteSpan answers, std::size_t index, Status status) noexcept {
    std::memcpy(&answers[index * kAnswerBytes], &status, kAnswerBytes);
}

}  // namespace pianola::test
