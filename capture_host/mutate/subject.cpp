#include "capture_host/mutate/subject.h"

namespace pianola::mutate {
namespace {

std::vector<std::uint8_t> to_vector(ByteSpan bytes) {
    return {bytes.begin(), bytes.end()};
}

}  // namespace

Subject read_subject(ByteSpan file, const Image& image, const DeviceDescription& device) {
    return {
        to_vector(file), capture::read_manifest(image),
        capture::Segments{to_vector(image.weights()), to_vector(image.trace_segment()), to_vector(image.self_tests())},
        device};
}

}  // namespace pianola::mutate
