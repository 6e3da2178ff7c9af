// Names in a model's file.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "pianola/config.h"

namespace pianola::tflite {

// Names of the file end up in messages, JSON and manifests: at most kMaxNameBytes of printable ASCII.
[[nodiscard]] inline std::string printable(const flatbuffers::String* text) {
    const std::size_t size = (text == nullptr) ? 0U : std::min<std::size_t>(text->size(), kMaxNameBytes);
    std::string result = (size == 0U) ? std::string{} : std::string(text->c_str(), size);
    for (char& character : result) {
        if ((character < ' ') || (character > '~')) {
            character = '?';
        }
    }
    return result;
}

}  // namespace pianola::tflite
