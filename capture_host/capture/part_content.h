// The contents of a device's binary; a merge compares them to tell whether those of two devices are equal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "capture_host/capture/merge.h"

namespace pianola::capture {

// Throws LinkError if the bytes are outside; `what` names them.
[[nodiscard]] std::vector<std::uint8_t> bytes_at(const std::vector<std::uint8_t>& segment, std::size_t offset,
                                                 std::size_t count, const char* what);

// A trace's words, and which of them are patched by which parameters.
struct TraceContent {
    std::vector<std::uint8_t> words;
    std::set<std::pair<std::uint32_t, std::string>> points;  // word, and the parameter's name

    [[nodiscard]] bool operator==(const TraceContent& other) const {
        return (words == other.words) && (points == other.points);
    }
};
[[nodiscard]] TraceContent content_of(const MeshPart& part, std::uint32_t trace);

}  // namespace pianola::capture
