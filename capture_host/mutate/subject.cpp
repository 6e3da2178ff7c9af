#include "capture_host/mutate/subject.h"

#include "capture_host/binary/openssl_digest.h"
#include "capture_host/mutate/file_bytes.h"
#include "pianola_host/files.h"

namespace pianola::mutate {
namespace {

std::vector<std::uint8_t> to_vector(ByteSpan bytes) {
    return {bytes.begin(), bytes.end()};
}

}  // namespace

Subject read_subject(ByteSpan file, const Image& image, const Target& target, const DeviceDescription& device) {
    return {
        unsigned_file(to_vector(file)),
        capture::read_manifest(image),
        capture::Segments{to_vector(image.weights()), to_vector(image.trace_segment()), to_vector(image.self_tests())},
        &target,
        device,
        file.size(),
        signing::openssl_sha256(file)};
}

const Verdict& Checker::check(const std::vector<std::uint8_t>& file, std::uint32_t shift_bytes, TrustKind trust) {
    std::vector<std::uint8_t> shifted(shift_bytes);
    shifted.insert(shifted.end(), file.begin(), file.end());
    const files::AlignedBytes bytes{shifted};
    const Status status =
        proofs_.verify(bytes.view().subspan(shift_bytes, file.size()), device_, command_set_, trust_of(trust));
    // Both give a status; if they differ, nothing is accepted.
    Verdict& verdict = proofs_.verdict;
    verdict.status = (status == verdict.status) ? status : Status::kInternal;
    return verdict;
}

}  // namespace pianola::mutate
