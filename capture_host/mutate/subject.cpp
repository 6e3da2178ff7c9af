#include "capture_host/mutate/subject.h"

#include "capture_host/mutate/file_bytes.h"

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
        sha256(file)};
}

}  // namespace pianola::mutate
