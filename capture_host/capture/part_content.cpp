#include "capture_host/capture/part_content.h"

#include <fmt/format.h>

namespace pianola::capture {

std::vector<std::uint8_t> bytes_at(const std::vector<std::uint8_t>& segment, std::size_t offset, std::size_t count,
                                   const char* what) {
    if ((offset > segment.size()) || (count > (segment.size() - offset))) {
        throw LinkError{fmt::format("{} lie outside their segment", what)};
    }
    const auto first = segment.begin() + static_cast<std::ptrdiff_t>(offset);
    return {first, first + static_cast<std::ptrdiff_t>(count)};
}

TraceContent content_of(const MeshPart& part, std::uint32_t trace) {
    const ManifestTrace& named = part.manifest.traces.at(trace);
    TraceContent content;
    content.words = bytes_at(part.segments.traces, named.offset_bytes,
                             std::size_t{named.word_count} * sizeof(std::uint32_t), "a trace's words");
    for (const ManifestParameter& parameter : part.manifest.parameters) {
        for (const ManifestPatchPoint& point : parameter.points) {
            if (point.trace == trace) {
                content.points.emplace(point.word, parameter.name);
            }
        }
    }
    return content;
}

}  // namespace pianola::capture
