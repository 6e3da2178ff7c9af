#include "runtime/digest/file_digest.h"

namespace pianola {

FileDigest::FileDigest(DigestEngine* engine) noexcept
    : engine_{engine}, is_good_{(engine == nullptr) || is_ok(engine->begin())} {}

void FileDigest::update(ByteSpan bytes) noexcept {
    if (engine_ == nullptr) {
        hash_.update(bytes);
    } else {
        is_good_ = is_good_ && is_ok(engine_->update(bytes));
    }
}

bool FileDigest::finish(Sha256Digest& digest) noexcept {
    if (engine_ == nullptr) {
        digest = hash_.finish();
        return true;
    }
    digest.fill(0U);
    if (is_good_ && is_ok(engine_->finish(digest))) {
        return true;
    }
    digest.fill(0U);
    return false;
}

}  // namespace pianola
